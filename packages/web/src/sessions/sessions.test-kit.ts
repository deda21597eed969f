import {
  type IndexStatus,
  type OutlinedAgent,
  type OutlineReply,
  type PastAgent,
  type PastMessage,
  type PastSession,
  pastSessionsQuery,
  pastSessionsReply,
  type Spent,
  type StatsRow,
  statsQuery,
  type TranscriptReply,
  transcriptQuery,
} from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import type { FakeServer } from '../testing/fake-server.ts'

const MINUTE = 60_000

export const spent = (change: Partial<Spent> = {}): Spent => ({ ...createZeroSpent(), ...change })

/** A session that ended an hour ago. */
export const pastSession = (change: Partial<PastSession> = {}): PastSession => ({
  source: 'claude-code',
  id: 's1',
  parent_id: null,
  lineage: 'root',
  title: 'Split billing',
  project: 'notes',
  cwd: '/home/dev/notes',
  git_branch: 'main',
  model: 'claude-opus-4-8',
  started_at: Date.now() - 70 * MINUTE,
  last_at: Date.now() - 60 * MINUTE,
  ended_at: null,
  fingerprint: 'f1',
  place: '/home/dev/.claude/projects/-home-dev-notes/s1.jsonl',
  messages: 4,
  tool_calls: 1,
  errors: 0,
  spent: spent({ output: 400, cost_micro_usd: 14_000 }),
  activity: Array.from({ length: 20 }, () => 0),
  tags: [],
  note: null,
  ...change,
})

/** The index status of a source that is completely read. */
export const indexStatus = (change: Partial<IndexStatus> = {}): IndexStatus => ({
  source: 'claude-code',
  state: 'idle',
  done: 0,
  total: 0,
  problem: null,
  ...change,
})

/** Serves the list of sessions and validates requests and replies against the schemas of the server. */
export function answerSessions(server: FakeServer, sessions: () => readonly PastSession[]): void {
  server
    .on('GET /api/past/sessions', ({ query }) => {
      const { limit, offset, ...filter } = pastSessionsQuery.parse(Object.fromEntries(query))
      const found = pastSessionsReply.parse(sessions()).filter((session) => matches(session, filter))
      return found.slice(offset, offset + limit)
    })
    .on('GET /api/past/stats', ({ query }) => {
      const { by } = statsQuery.parse(Object.fromEntries(query))
      return by === 'source' || by === 'project' || by === 'model' || by === 'host'
        ? countBy(sessions(), by)
        : []
    })
    .on('GET /api/past/status', [indexStatus()])
    .on('GET /api/past/tags', [])
    .on('GET /api/past/filters', [])
}

type SessionFilter = Omit<ReturnType<typeof pastSessionsQuery.parse>, 'limit' | 'offset'>

/** Tool and time filters are ignored, because a session in the list does not have that data. */
const matches = (session: PastSession, filter: SessionFilter): boolean =>
  (filter.id === undefined || session.id.startsWith(filter.id)) &&
  (filter.source === undefined || session.source === filter.source) &&
  (filter.project === undefined || session.project === filter.project) &&
  (filter.host === undefined || session.host === filter.host) &&
  (filter.model === undefined || session.model === filter.model) &&
  (filter.tag === undefined || session.tags.includes(filter.tag)) &&
  (filter.errors !== true || session.errors > 0) &&
  (filter.min_cost_micro_usd === undefined || session.spent.cost_micro_usd >= filter.min_cost_micro_usd)

function countBy(
  sessions: readonly PastSession[],
  by: 'source' | 'project' | 'model' | 'host',
): readonly StatsRow[] {
  const groups = Map.groupBy(sessions, (session) => session[by] ?? '–')
  return [...groups].map(([name, group]) => statsRow({ name, sessions: group.length }))
}

export const statsRow = (change: Partial<StatsRow> = {}): StatsRow => ({
  name: 'notes',
  sessions: 1,
  messages: 4,
  tool_calls: 1,
  errors: 0,
  spent: spent(),
  ...change,
})

export const outlinedAgent = (
  agent: PastAgent,
  first: number,
  last: number,
  change: Partial<OutlinedAgent> = {},
): OutlinedAgent => ({
  ...agent,
  first,
  last,
  made_at: null,
  model: 'claude-opus-4-8',
  started_at: Date.now() - 70 * MINUTE,
  last_at: Date.now() - 60 * MINUTE,
  tool_calls: 0,
  errors: 0,
  ...change,
})

export const outline = (change: Partial<OutlineReply> = {}): OutlineReply => ({
  fingerprint: 'f1',
  steps: [],
  agents: [],
  failed: [],
  loose: spent(),
  unread: 0,
  unread_parts: [],
  ...change,
})

/** A session with its messages and agents. */
export interface ToldSession {
  readonly session: PastSession
  readonly agents: readonly PastAgent[]
  readonly messages: readonly PastMessage[]
  readonly outline: OutlineReply
}

/** Serves one transcript page by page. */
export function answerTranscript(server: FakeServer, read: () => ToldSession): void {
  const { source, id } = read().session
  const path = `/api/past/sessions/${source}/${id}` as const
  server
    .on(`GET ${path}`, ({ query }): TranscriptReply => {
      const { from, limit } = transcriptQuery.parse(Object.fromEntries(query))
      const { session, agents, messages } = read()
      const end = from + limit
      return {
        session,
        agents: [...agents],
        messages: messages.slice(from, end),
        next: end < messages.length ? end : null,
        unread: 0,
        unread_parts: [],
      }
    })
    .on(`GET ${path}/outline`, () => read().outline)
}
