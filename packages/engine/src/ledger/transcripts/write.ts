import type { SessionRef, TranscriptChange, TranscriptsReply } from '@panoptes/schema'
import { forgottenHash } from '../forgotten-sessions.ts'
import { type Cell, copyInto } from '../postgres/copy.ts'
import type { Connection, Database } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { channelOf } from './tables.ts'
import { Telling } from './telling.ts'

/** Stores changes of one host, all of them or none. */
export const write = (
  database: Database,
  host: string,
  changes: readonly TranscriptChange[],
): Promise<TranscriptsReply> =>
  database.transaction(async (connection) => {
    const { run } = connection
    // Whoever forgets waits for what is being stored, and then nothing of the forgotten is.
    await run('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [LOCKS.transcripts, database.schema])
    // A request that was given up may still be under way when it comes again.
    await run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.telling, `${database.schema} ${host}`])
    const groups = grouped(changes)
    const forgotten = await forgottenOf(connection, [...groups.values()])
    const reply = { ended: 0, dropped: 0, missed: [] as SessionRef[], forgotten: [] as SessionRef[] }
    const rows: Cell[][] = []
    const changed = new Set<string>()
    for (const [key, { source, id, changes: own }] of groups) {
      if (forgotten.has(key)) {
        reply.forgotten.push({ source, id })
        continue
      }
      const telling = await Telling.open(connection, { source, id, host })
      for (const change of own) await telling.take(change)
      rows.push(...(await telling.close()))
      reply.ended += telling.ended
      reply.dropped += telling.dropped
      if (telling.isMissed) reply.missed.push({ source, id })
      if (telling.isChanged) changed.add(source)
    }
    if (rows.length > 0) await copyInto(connection, 'transcript_records', rows)
    for (const source of changed) await run('SELECT pg_notify($1, $2)', [channelOf(database.schema), source])
    return reply
  })

interface Group extends SessionRef {
  readonly changes: TranscriptChange[]
}

/** By session, in one order for all, so that two who write the same sessions do not wait for each other in a circle. */
function grouped(changes: readonly TranscriptChange[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const change of changes) {
    const { source, id } = change
    const key = JSON.stringify([source, id])
    const group = groups.get(key) ?? { source, id, changes: [] }
    groups.set(key, group)
    group.changes.push(change)
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function forgottenOf(
  { row, rows }: Connection,
  sessions: readonly SessionRef[],
): Promise<ReadonlySet<string>> {
  const key = (await row('SELECT forget_key FROM head'))?.forget_key as Uint8Array
  const names = new Map(
    sessions.map(({ source, id }) => [forgottenHash(key, source, id), JSON.stringify([source, id])]),
  )
  const found = await rows('SELECT hash FROM forgotten WHERE hash = ANY($1)', [[...names.keys()]])
  return new Set(found.map(({ hash }) => names.get(String(hash)) ?? ''))
}
