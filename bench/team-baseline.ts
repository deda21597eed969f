import { randomBytes } from 'node:crypto'
import { openStore, spaceSchema } from '@panoptes/engine/store'
import {
  type Cell,
  copyInto,
  type Database,
  makePartition,
  openDatabase,
  within,
} from '@panoptes/engine/testing/postgres'
import { type NewEvent, readAgentId, reportsFailure } from '@panoptes/schema'

const SPAN = 250_000

/** Measures the seconds of some work in a new space, which is dropped afterwards. */
async function inNewSpace(
  url: string,
  measure: (space: string, database: Database) => Promise<number>,
): Promise<number> {
  const space = `b${randomBytes(8).toString('hex')}`
  const database = openDatabase(url, spaceSchema(space))
  try {
    return await measure(space, database)
  } finally {
    await database.run(`DROP SCHEMA IF EXISTS ${spaceSchema(space)} CASCADE`)
    await database.close()
  }
}

/**
 * The minimum cost of storing events: COPY into a staging table and one upsert into the tables of the store
 * with their keys, partitions and indexes. It has no projections, no order among writers and no
 * notifications.
 */
export const floor = (url: string, events: readonly NewEvent[], batch: number): Promise<number> =>
  inNewSpace(url, async (space, database) => {
    const made = await openStore({ kind: 'postgres', url, space })
    if (!made.ok) throw new Error(made.message)
    await made.value.close()
    return database.withConnection(async (connection) => {
      await makePartition(connection, 0, SPAN)
      await connection.run(
        `CREATE TEMP TABLE staged (key text COLLATE "C", seq bigint, ts bigint, event text, source text, session_id text, agent_id text,
         failed boolean, body text) ON COMMIT DELETE ROWS`,
      )
      const start = performance.now()
      for (let at = 0; at < events.length; at += batch)
        await within(connection, 'BEGIN', async () => {
          await copyInto(connection, 'staged', cellsOf(events.slice(at, at + batch), at))
          await connection.run(
            `WITH fresh AS (INSERT INTO event_keys SELECT key, seq FROM staged ON CONFLICT DO NOTHING RETURNING seq)
             INSERT INTO events (seq, ts, event, source, session_id, agent_id, failed, body)
             SELECT seq, ts, event, source, session_id, agent_id, failed, body FROM staged JOIN fresh USING (seq)`,
          )
        })
      return (performance.now() - start) / 1_000
    })
  })

/** Returns the seconds to append the same events to a store. */
export const appended = (url: string, events: readonly NewEvent[], batch: number): Promise<number> =>
  inNewSpace(url, async (space) => {
    const ledger = await openStore({ kind: 'postgres', url, space })
    if (!ledger.ok) throw new Error(ledger.message)
    const start = performance.now()
    for (let at = 0; at < events.length; at += batch) {
      const stored = await ledger.value.append(events.slice(at, at + batch))
      if (!stored.ok) throw new Error(stored.message)
    }
    const seconds = (performance.now() - start) / 1_000
    await ledger.value.close()
    return seconds
  })

function* cellsOf(events: readonly NewEvent[], before: number): Iterable<readonly Cell[]> {
  let seq = before
  for (const event of events) {
    seq += 1
    yield [
      event.key,
      seq,
      event.ts,
      event.event,
      event.source,
      event.session_id,
      readAgentId(event) ?? null,
      reportsFailure(event),
      JSON.stringify(event),
    ]
  }
}
