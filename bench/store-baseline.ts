import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore, writerSettings } from '@panoptes/engine/store'
import { type NewEvent, readAgentId, reportsFailure } from '@panoptes/schema'

/** INSERTs into the event table of the store with its indexes, and nothing else. */
export interface Floor {
  readonly insert: (events: readonly NewEvent[]) => void
  readonly close: () => void
}

export async function openFloor(file: string): Promise<Floor> {
  const store = await openSqliteStore(file)
  if (!store.ok) throw new Error(store.message)
  await store.value.close()
  const db = new DatabaseSync(file)
  db.exec(writerSettings)
  const statement = db.prepare(
    `INSERT INTO events (seq, key, ts, event, source, session_id, agent_id, failed, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let seq = 0
  const insert = (events: readonly NewEvent[]): void => {
    db.exec('BEGIN IMMEDIATE')
    for (const event of events) {
      seq += 1
      const { key, ts, event: kind, source, session_id: session } = event
      const agent = readAgentId(event) ?? null
      statement.run(
        seq,
        key,
        ts,
        kind,
        source,
        session,
        agent,
        reportsFailure(event) ? 1 : 0,
        JSON.stringify(event),
      )
    }
    db.exec('COMMIT')
  }
  return { insert, close: () => db.close() }
}

/** Returns the seconds to INSERT the events, with one transaction per batch. */
export async function floor(file: string, events: readonly NewEvent[], batch: number): Promise<number> {
  const { insert, close } = await openFloor(file)
  const start = performance.now()
  for (let at = 0; at < events.length; at += batch) insert(events.slice(at, at + batch))
  const seconds = (performance.now() - start) / 1_000
  close()
  return seconds
}

/** Returns the seconds to append the same events to a store. */
export async function appended(file: string, events: readonly NewEvent[], batch: number): Promise<number> {
  const store = await openSqliteStore(file)
  if (!store.ok) throw new Error(store.message)
  const start = performance.now()
  for (let at = 0; at < events.length; at += batch) {
    const result = await store.value.append(events.slice(at, at + batch))
    if (!result.ok) throw new Error(result.message)
  }
  const seconds = (performance.now() - start) / 1_000
  await store.value.close()
  return seconds
}

/** Returns the seconds that this many callers at once need to append the same events, each one at a time. */
export async function appendedAtOnce(
  file: string,
  events: readonly NewEvent[],
  callers: number,
): Promise<number> {
  const store = await openSqliteStore(file)
  if (!store.ok) throw new Error(store.message)
  const waiting = events.values()
  const start = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const event of waiting) {
        const result = await store.value.append([event])
        if (!result.ok) throw new Error(result.message)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1_000
  await store.value.close()
  return seconds
}
