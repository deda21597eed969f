import type { SessionRef, TranscriptChange, TranscriptsReply } from '@panoptes/schema'
import { forgottenHash } from '../forgotten-sessions.ts'
import type { Connection, Database } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { type Group, store, tellingsOf } from './store.ts'
import { channelOf } from './tables.ts'

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
    const forgotten = await forgottenOf(connection, groups)
    const kept = groups.filter((group) => !forgotten.has(group))
    const tellings = await tellingsOf(connection, host, kept)
    for (const [{ changes: own }, telling] of tellings) for (const change of own) telling.take(change)
    const stored = await store(connection, host, tellings)
    for (const source of stored.changed)
      await run('SELECT pg_notify($1, $2)', [channelOf(database.schema), source])
    return {
      ended: tellings.reduce((sum, [, { ended }]) => sum + ended, 0),
      dropped: stored.dropped,
      missed: tellings.flatMap(([group, { isMissed }]) => (isMissed ? [refOf(group)] : [])),
      forgotten: groups.filter((group) => forgotten.has(group)).map(refOf),
    }
  })

const refOf = ({ source, id }: SessionRef): SessionRef => ({ source, id })

/** By session, in one order for all, so that two who write the same sessions do not wait for each other in a circle. */
function grouped(changes: readonly TranscriptChange[]): readonly Group[] {
  const groups = Map.groupBy(changes, ({ source, id }) => JSON.stringify([source, id]))
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => (own[0] ? [{ source: own[0].source, id: own[0].id, changes: own }] : []))
}

async function forgottenOf({ row, rows }: Connection, groups: readonly Group[]): Promise<ReadonlySet<Group>> {
  const key = (await row('SELECT forget_key FROM head'))?.forget_key as Uint8Array
  const byHash = new Map(groups.map((group) => [forgottenHash(key, group.source, group.id), group]))
  const found = await rows('SELECT hash FROM forgotten WHERE hash = ANY($1)', [[...byHash.keys()]])
  return new Set(found.flatMap(({ hash }) => byHash.get(String(hash)) ?? []))
}
