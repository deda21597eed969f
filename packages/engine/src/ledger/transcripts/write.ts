import { Refused } from '@panoptes/engine/threads'
import type { SessionRef, TranscriptChange, TranscriptsReply } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { forgottenHash } from '../forgotten-sessions.ts'
import type { Connection, Database } from '../postgres/database.ts'
import { LOCKS } from '../postgres/locks.ts'
import { type Group, store, tellingsOf } from './store.ts'
import { channelOf } from './tables.ts'

/** A line that says what is the same may stand for very many records. */
const MOST_SAME = 500_000

/** Stores changes of one host, all of them or none. */
export const write = (
  database: Database,
  host: string,
  changes: readonly TranscriptChange[],
): Promise<TranscriptsReply> =>
  database.transaction(async (connection) => {
    const { run } = connection
    if (sameIn(changes) > MOST_SAME)
      throw new Refused(
        failure(
          'invalid',
          `Only ${MOST_SAME} records can be said to be the same at a time. Tell them in full.`,
        ),
      )
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

const sameIn = (changes: readonly TranscriptChange[]): number =>
  changes.reduce((sum, change) => sum + (change.type === 'same' ? change.count : 0), 0)

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
