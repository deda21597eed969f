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
import { connect } from '../../daemon/client.ts'
import { CommandFailure } from '../../failure.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'
import { plain } from './words.ts'

export type Filter = Readonly<Record<string, string | number | boolean | undefined>>

/** Past sessions, asked of the running daemon, or read here when none runs. */
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
  /** Has the bytes of a whole session used. */
  readonly export: (
    session: SessionRef,
    format: ExportFormat,
    use: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
  ) => Promise<void>
}

/** Messages of a transcript that are asked for at once. */
export const PAGE = 200
const MOST = 1_000

/** To write is to make a ledger where there is none. */
export type Purpose = 'read' | 'write'

export async function withSessions<T>(
  context: Context,
  work: (sessions: PastSessions) => Promise<T>,
  purpose: Purpose = 'read',
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, purpose, work)
}

/** By its id or the beginning of it; a failure says when there is none, or more than one. */
export async function findSession(sessions: Pick<PastSessions, 'list'>, id: string): Promise<PastSession> {
  const found = await sessions.list({ id }, MOST)
  const exact = found.filter((each) => each.id === id)
  const [session, other] = exact.length > 0 ? exact : found
  if (session === undefined)
    throw new CommandFailure(`There is no session ${id}`, {
      code: 'not_found',
      next: 'See which there are: panoptes sessions list',
    })
  if (other === undefined) return session
  const names = found.slice(0, 5).map((each) => `${plain(each.id, 100)} (${each.source})`)
  throw new CommandFailure(`${id} is the beginning of ${found.length} sessions`, {
    code: 'usage',
    next: `Give more of it: ${names.join(', ')}`,
  })
}
