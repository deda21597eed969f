import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore, TemplateUses } from '@panoptes/engine/store'
import type { Past, Templates } from '@panoptes/engine/templates'
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
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { lockHome, openStore } from '../../daemon/access.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { templatesOf } from '../../daemon/follow-templates.ts'
import { isMade, placeOfHome } from '../../daemon/place.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { getJson, sendJson } from '../../json-requests.ts'
import { loadConfig } from '../config.ts'
import { type PastSessions, type Purpose, openSessionsHttpClient as sessionsOf } from '../sessions/access.ts'
import { openFreshSessions } from '../sessions/local-client.ts'

export interface SuggestQuery {
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
  readonly suggest: (wish: SuggestQuery) => Promise<readonly Suggestion[]>
}

export async function withTemplates<T>(
  context: Context,
  purpose: Purpose,
  work: (templates: TemplatesAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  try {
    return client ? await work(openHttpClient(client)) : await withLocalClient(context, purpose, work)
  } catch (error) {
    throw isMissing(error) ? templateNotFound(error) : isRefused(error) ? withoutHint(error) : error
  }
}

const NOT_FOUND = 'Template not found: '

const isMissing = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.code === 'not_found' && error.message.startsWith(NOT_FOUND)

const isRefused = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.code === 'invalid'

/** The reason already says what to do, so the hint for programs is dropped. */
const withoutHint = ({ message, code, exit, says }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, exit, says })

/** Uses the same text for local and remote lookups. */
const templateNotFound = ({ message, code }: CommandFailure): CommandFailure =>
  new CommandFailure(message, { code, says: message, next: 'List templates: panoptes templates list' })

const templatePath = (name: string, word: string): string =>
  `/api/templates/${encodeURIComponent(name)}${word}`

/** Reads templates from the daemon over HTTP. */
function openHttpClient(client: Client): TemplatesAccess {
  return {
    sessions: sessionsOf(client),
    list: (type) => getJson(client, '/api/templates', { type }),
    show: (name) => getJson(client, templatePath(name, '/whole')),
    preview: (input) => sendJson(client, 'POST', '/api/templates/preview', input),
    create: (input) => sendJson(client, 'POST', '/api/templates', input),
    remove: async (name) => {
      await sendJson(client, 'DELETE', templatePath(name, ''))
    },
    restore: async (name) => {
      await sendJson(client, 'POST', templatePath(name, '/restore'))
    },
    inject: (input) => sendJson(client, 'POST', '/api/templates/inject', input),
    effect: (name, project) => getJson(client, templatePath(name, '/effect'), { project }),
    effects: (project) => getJson(client, '/api/templates/effects', { project }),
    suggest: ({ project, days, limit }) =>
      getJson(client, '/api/templates/suggested', { project, days, limit }),
  }
}

type Work<T> = (templates: TemplatesAccess) => Promise<T>

/** Handles templates in this process, which has exclusive access to the store. */
async function withLocalClient<T>(context: Context, purpose: Purpose, work: Work<T>): Promise<T> {
  const place = await placeOfHome(context)
  if (purpose === 'read' && !isMade(place)) {
    const lock = await lockHome(context)
    try {
      return await withSessions(context, undefined, work)
    } finally {
      lock.release()
    }
  }
  const store = await openStore(context, place)
  try {
    return await withSessions(context, store, work)
  } finally {
    await store.close()
  }
}

/** Reads sessions on first use, because most template commands need none. */
async function withSessions<T>(context: Context, store: EventStore | undefined, work: Work<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  let opened: Promise<Sessions> | undefined
  const sessions = (): Promise<Sessions> => {
    opened ??= openFreshSessions(context, store)
    return opened
  }
  const past: Past = {
    opening: async (session, turns) => (await sessions()).opening(session, turns),
    works: async (query) => (await sessions()).works(query),
  }
  try {
    return await work(openLocalClient(templatesOf({ paths, env, config }, store ?? NO_STORE, past), sessions))
  } finally {
    const open = await opened?.catch(() => undefined)
    await open?.close()
  }
}

const NOTHING = failure('closed', 'There is no store to write to')

const NO_TEMPLATE_USES: TemplateUses = {
  inject: async () => NOTHING,
  note: async () => NOTHING,
  injections: async () => success([]),
  notes: async () => success([]),
}

/** Stands in for a store that does not exist yet. */
const NO_STORE: Pick<EventStore, 'templateUses' | 'agents'> = {
  templateUses: NO_TEMPLATE_USES,
  agents: async () => success({ seq: 0, value: [] }),
}

const openLocalClient = (templates: Templates, sessions: () => Promise<Sessions>): TemplatesAccess => ({
  sessions: {
    list: async (filter, limit) => orFail(await (await sessions()).list({ ...filter, limit })),
  },
  list: async (type) => orFail(await templates.list(type)),
  show: async (name) => orFail(await templates.show(name)),
  preview: async (input) => orFail(await templates.preview(input)),
  create: async (input) => orFail(await templates.create(input)),
  remove: async (name) => {
    orFail(await templates.remove(name))
  },
  restore: async (name) => {
    orFail(await templates.restore(name))
  },
  inject: async (input) => orFail(await templates.inject(input)),
  effect: async (name, project) => orFail(await templates.effect(name, project)),
  effects: async (project) => orFail(await templates.effects(project)),
  suggest: async (wish) => orFail(await templates.suggest(wish)),
})
