import { DatabaseSync } from 'node:sqlite'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import { agentOf, type NewEvent, saysFailed } from '@panoptes/schema'

/** The engine's own settings, so that only what the ledger adds is compared. */
const SETTINGS = `
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA journal_size_limit = 67108864;
  PRAGMA temp_store = MEMORY;
`

/** Seconds to INSERT the events into the ledger's own table with its own indexes, and nothing else. */
export async function floor(file: string, events: readonly NewEvent[], batch: number): Promise<number> {
  const ledger = await openSqliteLedger(file)
  if (!ledger.ok) throw new Error(ledger.message)
  await ledger.value.close()
  const db = new DatabaseSync(file)
  db.exec(SETTINGS)
  const insert = db.prepare(
    `INSERT INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const start = performance.now()
  let seq = 0
  for (let at = 0; at < events.length; at += batch) {
    db.exec('BEGIN IMMEDIATE')
    for (const event of events.slice(at, at + batch)) {
      seq += 1
      insert.run(
        seq,
        event.key,
        event.ts,
        event.event,
        event.source,
        event.session_id,
        agentOf(event) ?? null,
        saysFailed(event) ? 1 : 0,
        JSON.stringify(event),
      )
    }
    db.exec('COMMIT')
  }
  const seconds = (performance.now() - start) / 1_000
  db.close()
  return seconds
}

/** Seconds to append the same events to a ledger. */
export async function appended(file: string, events: readonly NewEvent[], batch: number): Promise<number> {
  const ledger = await openSqliteLedger(file)
  if (!ledger.ok) throw new Error(ledger.message)
  const start = performance.now()
  for (let at = 0; at < events.length; at += batch) {
    const result = await ledger.value.append(events.slice(at, at + batch))
    if (!result.ok) throw new Error(result.message)
  }
  const seconds = (performance.now() - start) / 1_000
  await ledger.value.close()
  return seconds
}
