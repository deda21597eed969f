import { randomBytes } from 'node:crypto'
import { openLedger, schemaOf } from '@panoptes/engine/ledger'
import {
  type Cell,
  copyInto,
  type Database,
  makePartition,
  openDatabase,
  within,
} from '@panoptes/engine/testing/postgres'
import { agentOf, type NewEvent, saysFailed } from '@panoptes/schema'

const SPAN = 250_000

/** Seconds that something takes in a space of its own, which is gone afterwards. */
async function inNewSpace(
  url: string,
  measure: (space: string, database: Database) => Promise<number>,
): Promise<number> {
  const space = `b${randomBytes(8).toString('hex')}`
  const database = openDatabase(url, schemaOf(space))
  try {
    return await measure(space, database)
  } finally {
    await database.run(`DROP SCHEMA IF EXISTS ${schemaOf(space)} CASCADE`)
    await database.close()
  }
}

/**
 * The least that storing events takes: COPY into a staging table and one upsert into the ledger's own tables, with their keys, their
 * partitions and all of their indexes; no projections, no order among writers, nobody told.
 */
export const floor = (url: string, events: readonly NewEvent[], batch: number): Promise<number> =>
  inNewSpace(url, async (space, database) => {
    const made = await openLedger({ kind: 'postgres', url, space })
    if (!made.ok) throw new Error(made.message)
    await made.value.close()
    return database.connected(async (connection) => {
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

/** Seconds to append the same events to a ledger. */
export const appended = (url: string, events: readonly NewEvent[], batch: number): Promise<number> =>
  inNewSpace(url, async (space) => {
    const ledger = await openLedger({ kind: 'postgres', url, space })
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
      agentOf(event) ?? null,
      saysFailed(event),
      JSON.stringify(event),
    ]
  }
}
