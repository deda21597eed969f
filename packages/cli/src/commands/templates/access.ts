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

/** Templates, asked of the running daemon, or seen to here when none runs. */
export interface TemplatesAccess {
  /** The sessions that one may be made of. */
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

/** Why says what to do. Requests are what programs send. */
const refused = ({ message, code, exit, says }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, exit, says })

/** The same words whoever looked. */
const missing = ({ message, code }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, says: message, next: 'See which there are: panoptes templates list' })
