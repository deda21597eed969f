import type {
  CreatedTemplate,
  InjectInput,
  InjectReply,
  Suggestion,
  TaskType,
  TemplateEffect,
  TemplateInput,
  TemplatePreview,
  TemplateReply,
  TemplatesReply,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect } from '../../daemon/client.ts'
import { CommandFailure } from '../../failure.ts'
import type { PastSessions, Purpose } from '../sessions/access.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'

export interface SuggestWish {
  readonly project?: string | undefined
  readonly days: number
  readonly limit: number
}

/** Access to templates: through the running daemon, or in this process if none is running. */
export interface TemplatesAccess {
  /** The sessions that can become templates. */
  readonly sessions: Pick<PastSessions, 'list'>
  readonly list: (type?: TaskType) => Promise<TemplatesReply>
  readonly show: (name: string) => Promise<TemplateReply>
  readonly preview: (input: TemplateInput) => Promise<TemplatePreview>
  readonly create: (input: TemplateInput) => Promise<CreatedTemplate>
  readonly remove: (name: string) => Promise<void>
  readonly restore: (name: string) => Promise<void>
  readonly inject: (input: InjectInput) => Promise<InjectReply>
  readonly effect: (name: string, project?: string) => Promise<TemplateEffect>
  readonly effects: (project?: string) => Promise<readonly TemplateEffect[]>
  readonly suggest: (wish: SuggestWish) => Promise<readonly Suggestion[]>
}

export async function withTemplates<T>(
  context: Context,
  purpose: Purpose,
  work: (templates: TemplatesAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  try {
    return client ? await work(ofDaemon(client)) : await withFiles(context, purpose, work)
  } catch (error) {
    throw isMissing(error) ? missing(error) : isRefused(error) ? refused(error) : error
  }
}

const NOT_FOUND = 'Template not found: '

const isMissing = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.code === 'not_found' && error.message.startsWith(NOT_FOUND)

const isRefused = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.code === 'invalid'

/** The reason already says what to do, so the hint for programs is dropped. */
const refused = ({ message, code, exit, says }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, exit, says })

/** Uses the same text for local and remote lookups. */
const missing = ({ message, code }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, says: message, next: 'List templates: panoptes templates list' })
