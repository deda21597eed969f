import type { Rows } from '../projection.ts'
import { isAgentRow, newSession, type Row, type SessionRow } from './row.ts'
import { upgradeSession } from './upgrade.ts'

export function sessionOf(rows: Rows<Row>, group: string, ts: number): SessionRow {
  const known = rows.get(group)
  const session =
    known === undefined || isAgentRow(known) ? newSession(group, ts) : current(rows, group, known)
  session.last_at = Math.max(session.last_at, ts)
  return session
}

/** Calls that are remembered with the agent they made. */
const MOST_CALLS = 1_000

export function noteMaker(session: SessionRow, call: string, agent: string): void {
  if (call === '__proto__') return
  session.made[call] = agent
  const [oldest, ...others] = Object.keys(session.made)
  if (oldest !== undefined && others.length >= MOST_CALLS) delete session.made[oldest]
}

/** The agent that a call made, where it is known. */
export const madeByCall = (session: SessionRow, call: string): string | undefined =>
  Object.hasOwn(session.made, call) ? session.made[call] : undefined

const current = (rows: Rows<Row>, group: string, session: SessionRow): SessionRow =>
  session.unmet === undefined ? upgradeSession(rows, group, session) : session
