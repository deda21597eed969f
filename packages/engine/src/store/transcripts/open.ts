import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result, SessionRef, TranscriptChange, TranscriptsReply } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { forgottenHash } from '../forgotten-sessions.ts'
import { type Connection, type Database, openDatabase } from '../postgres/database.ts'
import { toFailure } from '../postgres/failures.ts'
import { LOCKS } from '../postgres/locks.ts'
import { migrate } from '../postgres/migrations.ts'
import { listen } from './channel-listener.ts'
import { lockSessions, namesFor, readNames } from './copies.ts'
import { openOnDemand, placeLabel, type TranscriptPlace } from './place.ts'
import type { Transcripts } from './port.ts'
import { findIn, listTranscripts, readFingerprints, readTranscript } from './read.ts'
import { type Group, readTellings, store } from './store.ts'
import { transcriptChannel } from './tables.ts'
import { tidy } from './tidy.ts'

const MOST_CONNECTIONS = 2
const TIDY_MS = 10_000

/** Opens the sessions of other computers, which are stored beside a store's tables. */
export async function openTranscripts(place: TranscriptPlace): Promise<Result<Transcripts>> {
  const database = openDatabase(place.url, place.schema, { max: 1 })
  try {
    await migrate(database)
    return success(transcriptsIn(place))
  } catch (error) {
    return toFailure(error, placeLabel(place))
  } finally {
    await database.close()
  }
}

/**
 * Does the same when the store is known to exist. Connections are opened when they are needed and closed when
 * they are not.
 */
export function transcriptsIn(place: TranscriptPlace): Transcripts {
  const database = openOnDemand(place, MOST_CONNECTIONS)
  const where = placeLabel(place)
  const ask = <T>(work: Promise<T>): Promise<Result<T>> =>
    work.then(success<T>, (error: unknown) => toFailure(error, where))
  const tidying = createTidier(database)
  return {
    write: async (host, changes) => {
      const written = await ask(write(database, host, changes))
      tidying.may()
      return written
    },
    known: (source, host) => ask(readFingerprints(database, source, host)),
    list: (source) => toResults(listTranscripts(database, source), where),
    read: (source, id) => toResults(readTranscript(database, source, id), where),
    find: (source, id, ids) => ask(findIn(database, source, id, ids)),
    watch: (changed) => listen(place.url, transcriptChannel(place.schema), changed),
    close: async () => {
      await tidying.ended()
      await database.close()
    },
  }
}

async function* toResults<T>(pages: AsyncIterable<T>, where: string): AsyncGenerator<Result<T>> {
  try {
    for await (const page of pages) yield success(page)
  } catch (error) {
    yield toFailure(error, where)
  }
}

function createTidier(database: Database) {
  let last = Number.NEGATIVE_INFINITY
  let under: Promise<void> = Promise.resolve()
  return {
    may: () => {
      if (performance.now() - last < TIDY_MS) return
      last = performance.now()
      under = tidy(database).then(
        (isMore) => {
          if (isMore) last = Number.NEGATIVE_INFINITY
        },
        // Rows that cannot be removed now are removed later.
        () => undefined,
      )
    },
    ended: () => under,
  }
}

/** One line of type `same` may stand for very many records. */
const MOST_SAME = 500_000

/** Stores the changes of one host, all or none. */
const write = (
  database: Database,
  host: string,
  changes: readonly TranscriptChange[],
): Promise<TranscriptsReply> =>
  database.transaction(async (connection) => {
    const { run } = connection
    if (countUnchanged(changes) > MOST_SAME)
      throw new Refused(
        failure(
          'invalid',
          `A request can mark at most ${MOST_SAME} records as unchanged. Send them in full.`,
        ),
      )
    // Forgetting waits for writes under way, so that nothing of a forgotten session is stored after it.
    await run('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [LOCKS.transcripts, database.schema])
    // A request that was given up may still be running when it is sent again.
    await run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.telling, `${database.schema} ${host}`])
    const groups = groupChanges(changes)
    const settled = groups.filter(({ changes: own }) =>
      own.some(({ type }) => type === 'end' || type === 'drop'),
    )
    if (settled.length > 0) await lockSessions(connection, database.schema, settled)
    const forgotten = await findForgotten(connection, host, groups)
    const accepted = groups.filter((group) => !forgotten.has(group))
    const tellings = await readTellings(connection, host, accepted)
    for (const [{ changes: own }, telling] of tellings) for (const change of own) telling.take(change)
    const stored = await store(connection, host, tellings)
    for (const source of stored.changed)
      await run('SELECT pg_notify($1, $2)', [transcriptChannel(database.schema), source])
    return {
      ended: tellings.reduce((sum, [, { ended }]) => sum + ended, 0),
      dropped: stored.dropped,
      missed: tellings.flatMap(([group, { isMissed }]) => (isMissed ? [toRef(group)] : [])),
      forgotten: groups.filter((group) => forgotten.has(group)).map(toRef),
      ...(stored.copies.length > 0 && { copies: [...stored.copies] }),
    }
  })

const countUnchanged = (changes: readonly TranscriptChange[]): number =>
  changes.reduce((sum, change) => sum + (change.type === 'same' ? change.count : 0), 0)

const toRef = ({ source, id }: SessionRef): SessionRef => ({ source, id })

/**
 * Groups changes by session in the same order for all callers, so that two writers of the same sessions do
 * not deadlock.
 */
function groupChanges(changes: readonly TranscriptChange[]): readonly Group[] {
  const groups = Map.groupBy(changes, ({ source, id }) => JSON.stringify([source, id]))
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => (own[0] ? [{ source: own[0].source, id: own[0].id, changes: own }] : []))
}

/**
 * Finds forgotten sessions, including those that were forgotten under the name that this host's copy has or
 * would have.
 */
async function findForgotten(
  connection: Connection,
  host: string,
  groups: readonly Group[],
): Promise<ReadonlySet<Group>> {
  const { row, rows } = connection
  const key = (await row('SELECT forget_key FROM head'))?.forget_key as Uint8Array
  const findName = await readNames(connection, host, groups)
  const byHash = new Map(
    groups.flatMap((group) => {
      const name = findName(group)
      const names = name === undefined ? namesFor(group.id, host) : [group.id, name]
      return names.map((each) => [forgottenHash(key, group.source, each), group] as const)
    }),
  )
  const found = await rows('SELECT hash FROM forgotten WHERE hash = ANY($1)', [[...byHash.keys()]])
  return new Set(found.flatMap(({ hash }) => byHash.get(String(hash)) ?? []))
}
