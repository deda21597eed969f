import type { MoaTurn, SessionRef } from '@panoptes/schema'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import { filterTurns } from '../forgotten-sessions.ts'
import type { TurnQuery, Turns } from '../turns-port.ts'
import { type Ask, buildWhere } from './auxiliary-tables.ts'
import type { Connection, Database, Row } from './database.ts'
import { whole } from './event-reader.ts'

const MOST_TURNS = 100_000

export const createTurns = (database: Database, forgotten: ForgottenSessions, ask: Ask): Turns =>
  filterTurns(
    {
      keep: (turns) => ask(() => database.transaction((connection) => keep(connection, turns))),
      get: (id) =>
        ask(async () => {
          const found = await database.rows(
            'SELECT doc FROM turns WHERE id >= $1 AND id < $1 || chr(1114111) LIMIT 2',
            [id],
          )
          const [one] = found
          return one === undefined || found.length > 1 ? null : turnIn(one)
        }),
      list: (query) => ask(() => database.snapshot((connection) => list(connection, query))),
    },
    forgotten,
  )

async function keep({ run }: Connection, turns: readonly MoaTurn[]): Promise<null> {
  const own = [...new Map(turns.map((turn) => [turn.id, turn])).values()]
  const values = [
    own.map(({ id }) => id),
    own.map(({ started_at }) => started_at),
    own.map(({ preset }) => preset),
    own.map(({ session_id }) => session_id),
    own.map((turn) => JSON.stringify(turn)),
  ]
  const input = `unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS g (id, ts, preset, session_id, doc)`
  // Existing rows are updated first: an insert that conflicts would use up a number, and numbers tell how
  // many turns there are.
  await run(
    `UPDATE turns AS t SET ts = g.ts, preset = g.preset, session_id = g.session_id, doc = g.doc FROM ${input} WHERE t.id = g.id`,
    values,
  )
  await run(
    `INSERT INTO turns (id, ts, preset, session_id, doc)
     SELECT g.* FROM ${input} WHERE NOT EXISTS (SELECT FROM turns AS t WHERE t.id = g.id)
     ON CONFLICT (id) DO UPDATE SET ts = excluded.ts, preset = excluded.preset, session_id = excluded.session_id, doc = excluded.doc`,
    values,
  )
  await run('DELETE FROM turns WHERE number <= (SELECT max(number) FROM turns) - $1', [MOST_TURNS])
  return null
}

async function list(
  { row, rows }: Connection,
  { preset, session, since, until, limit, offset = 0 }: TurnQuery,
): Promise<{ readonly total: number; readonly rows: readonly MoaTurn[] }> {
  const { sql, values } = buildWhere([
    [(p) => `preset = ${p}`, preset],
    [(p) => `session_id = ${p}`, session],
    [(p) => `ts >= ${p}`, since === undefined ? undefined : whole(since)],
    [(p) => `ts < ${p}`, until === undefined ? undefined : whole(until)],
  ])
  const total = await row(`SELECT count(*) AS count FROM turns ${sql}`, values)
  const found = await rows(
    `SELECT doc FROM turns ${sql} ORDER BY ts DESC, number DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, limit, offset],
  )
  return { total: Number(total?.count), rows: found.map(turnIn) }
}

const turnIn = (row: Row): MoaTurn => JSON.parse(String(row.doc)) as MoaTurn

/** A turn belongs to the session it was asked in. Sessions of Hermes keep the id that they have there. */
export async function forgetTurns(
  { run }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly turns: number }> {
  if (source !== 'panoptes' && source !== 'hermes') return { turns: 0 }
  return { turns: await run('DELETE FROM turns WHERE session_id = $1', [id]) }
}
