import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { MoaTurn, SessionRef } from '@panoptes/schema'
import type { Rows } from '../accounts-port.ts'
import type { TurnQuery } from '../turns-port.ts'
import { inTransaction } from './statements.ts'

export interface TurnWrites {
  keepTurns(turns: readonly MoaTurn[]): null
}

export interface TurnReads {
  turn(id: string): MoaTurn | null
  turns(query: TurnQuery): Rows<MoaTurn>
}

const MOST_TURNS = 100_000

export const turnWrites = (db: () => DatabaseSync): Handlers<TurnWrites> => ({
  keepTurns: (_job, turns) => {
    const put = db().prepare(
      `INSERT INTO turns (id, ts, preset, session_id, doc) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ts = excluded.ts, preset = excluded.preset, session_id = excluded.session_id, doc = excluded.doc`,
    )
    const drop = db().prepare('DELETE FROM turns WHERE number <= (SELECT max(number) FROM turns) - ?')
    inTransaction(db(), () => {
      for (const turn of turns)
        put.run(turn.id, turn.started_at, turn.preset, turn.session_id, JSON.stringify(turn))
      drop.run(MOST_TURNS)
    })
    return null
  },
})

export const turnReads = (db: () => DatabaseSync): Handlers<TurnReads> => ({
  turn: (_job, id) => {
    const found = db()
      .prepare('SELECT doc FROM turns WHERE id >= ?1 AND id < ?1 || char(0x10ffff) LIMIT 2')
      .all(id)
    const [one] = found
    return one === undefined || found.length > 1 ? null : turnIn(one)
  },
  turns: (_job, { preset, session, since, until, limit, offset = 0 }) => {
    const conditions: [string, SQLInputValue | undefined][] = [
      ['preset = ?', preset],
      ['session_id = ?', session],
      ['ts >= ?', since],
      ['ts < ?', until],
    ]
    const used = conditions.filter(([, value]) => value !== undefined)
    const where = used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`
    const values = used.map(([, value]) => value as SQLInputValue)
    const total = Number(
      db()
        .prepare(`SELECT count(*) AS count FROM turns ${where}`)
        .get(...values)?.count ?? 0,
    )
    const rows = db()
      .prepare(`SELECT doc FROM turns ${where} ORDER BY ts DESC, number DESC LIMIT ? OFFSET ?`)
      .all(...values, limit, offset)
    return { total, rows: rows.map(turnIn) }
  },
})

const turnIn = (row: Readonly<Record<string, unknown>>): MoaTurn => JSON.parse(String(row.doc)) as MoaTurn

/** A turn belongs to the session it was asked in. Sessions of Hermes keep the id that they have there. */
export function forgetTurns(db: DatabaseSync, { source, id }: SessionRef): number {
  if (source !== 'panoptes' && source !== 'hermes') return 0
  return Number(db.prepare('DELETE FROM turns WHERE session_id = ?').run(id).changes)
}
