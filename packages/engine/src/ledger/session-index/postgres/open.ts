import { Refused } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Database, openDatabase } from '../../postgres/database.ts'
import { failureOf, shownAddress } from '../../postgres/failures.ts'
import { lockedToMigrate } from '../../postgres/migrate-lock.ts'
import type { IndexOptions, SessionIndex } from '../port.ts'
import { aging, hidden, keepAged } from './aged.ts'
import { aboutSessions, mend, scrub } from './forget.ts'
import { agentsOf, got, listed, worksOf } from './queries.ts'
import { recalledIn } from './recall.ts'
import { otherPrices, reprice } from './reprice.ts'
import { searched } from './search.ts'
import { statsOf } from './stats.ts'
import { dropTables, indexTables, POSTGRES_INDEX_VERSION } from './tables.ts'
import { IndexWriter } from './writer.ts'

interface PostgresIndexPlace {
  readonly url: string
  readonly schema: string
}

/** Searches and writes have connections of their own, and few: each hub has some for every space. */
const CONNECTIONS = 3

/** Opens the index in the schema of a space. It can always be read again, so one of an older version is thrown away. */
export async function openPostgresIndex(
  { url, schema }: PostgresIndexPlace,
  { readOnly = false, messagesAPart }: IndexOptions = {},
): Promise<Result<SessionIndex>> {
  const where = shownAddress(url)
  const database = openDatabase(url, schema, { max: CONNECTIONS, patient: true })
  try {
    if (!readOnly) await lockedToMigrate(database, ({ row, run }) => madeIn(row, run, schema))
    return success(indexOf(database, where, messagesAPart))
  } catch (error) {
    await database.close()
    return failureOf(error, where)
  }
}

async function madeIn(row: Database['row'], run: Database['run'], schema: string): Promise<void> {
  await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  const there = await row("SELECT to_regclass('index_about') IS NOT NULL AS there")
  const about = there?.there === true ? await row('SELECT version FROM index_about') : undefined
  const version = Number(about?.version ?? 0)
  if (version === POSTGRES_INDEX_VERSION) return
  if (version > POSTGRES_INDEX_VERSION)
    throw new Refused(
      failure(
        'invalid',
        'The index of sessions was made by a newer Panoptes. Update this hub, and start it again.',
      ),
    )
  await run(`BEGIN; ${dropTables} ${indexTables} COMMIT`)
}

function indexOf(database: Database, where: string, messagesAPart: number | undefined): SessionIndex {
  const answer = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
    try {
      return success(await work())
    } catch (error) {
      return failureOf(error, where)
    }
  }
  const writer = new IndexWriter(database, answer, messagesAPart)
  const { batch } = writer
  const write: SessionIndex['write'] = async (list) => {
    const own = batch()
    const added = await own.add(list)
    return added.ok ? own.end() : added
  }
  return {
    known: (source) =>
      answer(async () => {
        const known = await database.rows(
          `SELECT id, fingerprint FROM index_sessions WHERE source = $1 AND fingerprint IS NOT NULL
           UNION ALL SELECT id, fingerprint FROM index_aged WHERE source = $1`,
          [source],
        )
        return new Map(known.map(({ id, fingerprint }) => [String(id), String(fingerprint)]))
      }),
    write,
    batch,
    list: (query) => answer(() => listed(database, query)),
    get: (source, id) => answer(() => got(database, source, id)),
    works: (query) => answer(() => worksOf(database, query)),
    stats: (filter, by) => answer(() => statsOf(database, filter, by)),
    agents: (source, id) => answer(() => agentsOf(database, source, id)),
    search: (query) => answer(() => searched(database, query)),
    recall: (query) => answer(() => recalledIn(database, query)),
    repriced: async (markOf) => {
      const before = await writer.commit()
      if (!before.ok) return before
      const prices = await answer(() => otherPrices(database, markOf))
      if (!prices.ok || prices.value.length === 0) return prices.ok ? success(0) : prices
      return writer.alone((connection) => reprice(connection, prices.value))
    },
    retain: async (before) => {
      const old = await answer(() => aging(database, before))
      if (!old.ok) return old
      if (old.value.length === 0) return success(0)
      const dropped = await write(old.value.map(({ source, id }) => ({ type: 'drop', source, id })))
      return dropped.ok ? writer.alone((connection) => keepAged(connection, old.value)) : dropped
    },
    hidden: () => answer(() => hidden(database)),
    forget: async (sessions) => {
      const about = await writer.alone((connection) => aboutSessions(connection, sessions))
      if (!about.ok) return about
      const dropped = await write(sessions.map(({ source, id }) => ({ type: 'drop', source, id })))
      if (!dropped.ok) return dropped
      const mended = await writer.alone(mend)
      if (!mended.ok) return mended
      const scrubbed = await answer(() => scrub(database))
      return scrubbed.ok ? about : scrubbed
    },
    close: async () => {
      await writer.commit()
      await database.close()
    },
  }
}
