import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { type Database, openDatabase } from '../postgres/database.ts'
import { failureOf } from '../postgres/failures.ts'
import { migrate } from '../postgres/migrations.ts'
import { listen } from './listening.ts'
import { openOnDemand, type TranscriptPlace, whereOf } from './place.ts'
import type { Transcripts } from './port.ts'
import { findIn, knownOf, listOf, readOf } from './read.ts'
import { channelOf } from './tables.ts'
import { tidy } from './tidy.ts'
import { write } from './write.ts'

const MOST_CONNECTIONS = 2
const TIDY_MS = 10_000

/** The sessions of other computers that are kept beside a ledger. */
export async function openTranscripts(place: TranscriptPlace): Promise<Result<Transcripts>> {
  const database = openDatabase(place.url, place.schema, { max: 1 })
  try {
    await migrate(database)
    return success(transcriptsIn(place))
  } catch (error) {
    return failureOf(error, whereOf(place))
  } finally {
    await database.close()
  }
}

/** The same where the ledger is known to be there. Connections are opened when they are needed, and closed when they are not. */
export function transcriptsIn(place: TranscriptPlace): Transcripts {
  const database = openOnDemand(place, MOST_CONNECTIONS)
  const where = whereOf(place)
  const ask = <T>(work: Promise<T>): Promise<Result<T>> =>
    work.then(success<T>, (error: unknown) => failureOf(error, where))
  const tidying = tidyNowAndThen(database)
  return {
    write: async (host, changes) => {
      const written = await ask(write(database, host, changes))
      tidying.may()
      return written
    },
    known: (source, host) => ask(knownOf(database, source, host)),
    list: (source) => given(listOf(database, source), where),
    read: (source, id) => given(readOf(database, source, id), where),
    find: (source, id, ids) => ask(findIn(database, source, id, ids)),
    watch: (changed) => listen(place.url, channelOf(place.schema), changed),
    close: async () => {
      await tidying.ended()
      await database.close()
    },
  }
}

async function* given<T>(pages: AsyncIterable<T>, where: string): AsyncGenerator<Result<T>> {
  try {
    for await (const page of pages) yield success(page)
  } catch (error) {
    yield failureOf(error, where)
  }
}

function tidyNowAndThen(database: Database) {
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
        // What cannot be taken out now is taken out later.
        () => undefined,
      )
    },
    ended: () => under,
  }
}
