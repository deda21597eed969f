import type {
  ExportFormat,
  Forgettable,
  ForgotReply,
  FoundMessage,
  MarksInput,
  PastSession,
  SavedFilter,
  SavedQuery,
  SessionMarks,
  SessionRef,
  StatsGroup,
  StatsRow,
  TagCount,
  TranscriptReply,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { bodyOf } from '../../daemon/event-lines.ts'
import { CommandFailure } from '../../failure.ts'
import { getJson, type QueryParams, sendJson } from '../../json-requests.ts'
import { plain } from './format.ts'
import { withLocalClient } from './local-client.ts'

export type Filter = QueryParams

/** Access to past sessions: through the running daemon, or in this process if none is running. */
export interface PastSessions {
  readonly list: (filter: Filter, limit: number) => Promise<readonly PastSession[]>
  readonly stats: (filter: Filter, by: StatsGroup) => Promise<readonly StatsRow[]>
  readonly search: (text: string, filter: Filter, limit: number) => Promise<readonly FoundMessage[]>
  readonly transcript: (session: PastSession, from: number) => Promise<TranscriptReply>
  readonly mark: (session: SessionRef, marks: MarksInput) => Promise<SessionMarks>
  readonly tags: () => Promise<readonly TagCount[]>
  readonly filters: () => Promise<readonly SavedFilter[]>
  readonly saveFilter: (name: string, query: SavedQuery) => Promise<void>
  readonly dropFilter: (name: string) => Promise<void>
  readonly forgettable: (pattern: string) => Promise<readonly Forgettable[]>
  readonly forget: (sessions: readonly SessionRef[]) => Promise<ForgotReply>
  /** Passes the bytes of a complete session to a consumer. */
  readonly export: (
    session: SessionRef,
    format: ExportFormat,
    use: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ) => Promise<void>
}

/** The number of messages per request. */
export const PAGE = 200
const MOST = 1_000

/** Writing creates the store if it does not exist. */
export type Purpose = 'read' | 'write'

export async function withSessions<T>(
  context: Context,
  work: (sessions: PastSessions) => Promise<T>,
  purpose: Purpose = 'read',
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(openSessionsHttpClient(client)) : withLocalClient(context, purpose, work)
}

/** Finds a session by its id or an id prefix. It fails if none or several match. */
export async function findSession(sessions: Pick<PastSessions, 'list'>, id: string): Promise<PastSession> {
  const found = await sessions.list({ id }, MOST)
  const exact = found.filter((each) => each.id === id)
  const [session, other] = exact.length > 0 ? exact : found
  if (session === undefined)
    throw new CommandFailure(`No session ${id}`, {
      code: 'not_found',
      next: 'List sessions: panoptes sessions list',
    })
  if (other === undefined) return session
  const names = found.slice(0, 5).map((each) => `${plain(each.id, 100)} (${each.source})`)
  throw new CommandFailure(`${id} matches ${found.length} sessions`, {
    code: 'usage',
    next: `Use a longer id: ${names.join(', ')}`,
  })
}

const part = encodeURIComponent

/** Reads past sessions from the daemon over HTTP. */
export function openSessionsHttpClient(client: Client): PastSessions {
  return {
    list: (filter, limit) => getJson(client, '/api/past/sessions', { ...filter, limit }),
    stats: (filter, by) => getJson(client, '/api/past/stats', { ...filter, by }),
    search: (q, filter, limit) => getJson(client, '/api/past/search', { ...filter, q, limit }),
    transcript: ({ source, id }, from) =>
      getJson(client, `/api/past/sessions/${part(source)}/${part(id)}`, { from, limit: PAGE }),
    mark: ({ source, id }, marks) =>
      sendJson(client, 'PUT', `/api/past/sessions/${part(source)}/${part(id)}/marks`, marks),
    tags: () => getJson(client, '/api/past/tags'),
    filters: () => getJson(client, '/api/past/filters'),
    saveFilter: async (name, query) => {
      await sendJson(client, 'PUT', `/api/past/filters/${part(name)}`, { query })
    },
    dropFilter: async (name) => {
      await sendJson(client, 'DELETE', `/api/past/filters/${part(name)}`)
    },
    forgettable: (pattern) => getJson(client, '/api/past/forgettable', { pattern }),
    forget: (sessions) => sendJson(client, 'POST', '/api/past/forget', { sessions }),
    export: async ({ source, id }, format, use) => {
      const reply = await client.request(
        `/api/past/sessions/${part(source)}/${part(id)}/export?format=${format}`,
      )
      await use(bodyOf(reply))
    },
  }
}
