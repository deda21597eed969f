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

/** The agent that a call made, where it is known. */
export const madeByCall = (session: SessionRow, call: string): string | undefined =>
  Object.hasOwn(session.made, call) ? session.made[call] : undefined

const current = (rows: Rows<Row>, group: string, session: SessionRow): SessionRow =>
  session.unmet === undefined ? upgradeSession(rows, group, session) : session
