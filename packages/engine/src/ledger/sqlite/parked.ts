import type { SessionSummary } from '@panoptes/schema'
import { unpackRows } from '../past/packed-rows.ts'
import type { Parked } from '../past/past-sessions.ts'
import { ofSession } from './past-events.ts'
import { rowsOfGroup } from './present-rows.ts'
import type { Statements } from './statements.ts'

/** Looks sessions up when they are met. */
export const parkedIn = (statements: Statements): Parked => ({
  nameOf: (group) => {
    const row = statements
      .of("SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ?")
      .get(group)
    if (row === undefined) return undefined
    const { source, session_id } = JSON.parse(String(row.doc)) as SessionSummary
    return [source, session_id]
  },
  parked: (group, upTo) => {
    const parked = statements
      .of('SELECT seq, rows FROM parked WHERE grp = ? AND seq <= ? ORDER BY seq DESC LIMIT 1')
      .get(group, upTo)
    if (parked === undefined) return undefined
    return { seq: Number(parked.seq), rows: unpackRows(parked.rows as Uint8Array) }
  },
  base: (group) => rowsOfGroup(statements, 'projection_base', group),
  events: (name, after, upTo, ts) => ofSession(statements, name, after, upTo, ts),
})
