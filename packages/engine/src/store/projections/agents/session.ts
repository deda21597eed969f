import type { Rows } from '../projection.ts'
import {
  type AgentRow,
  type Book,
  isAgentRow,
  newBook,
  newSession,
  type Row,
  type SessionRow,
} from './row.ts'

export function loadSession(rows: Rows<Row>, group: string, ts: number): SessionRow {
  const existing = rows.get(group)
  const session =
    existing === undefined || isAgentRow(existing) ? newSession(group, ts) : current(rows, group, existing)
  session.last_at = Math.max(session.last_at, ts)
  return session
}

/** This many calls are remembered with the agent they made. */
const MOST_CALLS = 1_000

export function recordMaker(session: SessionRow, call: string, agent: string): void {
  if (call === '__proto__') return
  session.made[call] = agent
  const [oldest, ...others] = Object.keys(session.made)
  if (oldest !== undefined && others.length >= MOST_CALLS) delete session.made[oldest]
}

/** Returns the agent that a call made, if it is known. */
export const findAgentOfCall = (session: SessionRow, call: string): string | undefined =>
  Object.hasOwn(session.made, call) ? session.made[call] : undefined

const current = (rows: Rows<Row>, group: string, session: SessionRow): SessionRow =>
  session.unmet === undefined ? upgradeSession(rows, group, session) : session

type OldBook = Partial<Omit<Book, 'failed'>> & {
  readonly failed?: boolean
  readonly mood?: 'working' | 'waiting' | 'stuck'
}

/**
 * After retention cut the log, rows stay as an older version wrote them. Missing fields are added when a row
 * is next used.
 */
function upgradeSession(rows: Rows<Row>, group: string, session: SessionRow): SessionRow {
  for (const [key, row] of rows.group(group)) if (isAgentRow(row)) rows.set(key, upgradeAgent(row))
  return { ...newSession(group, session.last_at), ...session }
}

function upgradeAgent(row: AgentRow): AgentRow {
  const { mood, failed, ...book }: OldBook = row.book as object
  const reason = row.wait_reason
  const wait = { on: null, call: null, tool: null, about: null, reason, ts: row.last_at }
  return {
    ...row,
    book: {
      ...newBook(row.id, 0),
      unasked: false,
      failed: failed === true ? [Math.max(1, book.starts ?? 1)] : [],
      stuck: mood === 'stuck',
      waits: mood === 'waiting' ? [wait] : [],
      ...book,
    },
  }
}
