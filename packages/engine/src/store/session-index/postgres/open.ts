import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result, SessionRef } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Connection, type Database, openDatabase } from '../../postgres/database.ts'
import { formatAddress, toFailure } from '../../postgres/failures.ts'
import { withMigrationLock } from '../../postgres/migrate-lock.ts'
import { decompressFold } from '../fold-rows.ts'
import type { ForgottenCounts } from '../forget.ts'
import type { HiddenSession, IndexOptions, SessionIndex } from '../port.ts'
import type { Aged } from '../retention.ts'
import { merge } from './merge.ts'
import { got, listed, readAgents, readWorks } from './queries.ts'
import { recall } from './recall.ts'
import { search } from './search.ts'
import type { State } from './state.ts'
import { readStats } from './stats.ts'
import { dropTables, indexTables, POSTGRES_INDEX_VERSION } from './tables.ts'
import { IndexWriter } from './writer.ts'

interface PostgresIndexPlace {
  readonly url: string
  readonly schema: string
}

/** Searches and writes have few connections of their own, because each hub has some for every space. */
const CONNECTIONS = 3

/**
 * Opens the index in the schema of a space. An index of an older version is deleted, because it can be read
 * again.
 */
export async function openPostgresIndex(
  { url, schema }: PostgresIndexPlace,
  { readOnly = false, messagesAPart }: IndexOptions = {},
): Promise<Result<SessionIndex>> {
  const where = formatAddress(url)
  const database = openDatabase(url, schema, { max: CONNECTIONS, patient: true })
  try {
    if (!readOnly) await withMigrationLock(database, ({ row, run }) => createTables(row, run, schema))
    return success(createIndex(database, where, messagesAPart))
  } catch (error) {
    await database.close()
    return toFailure(error, where)
  }
}

async function createTables(row: Database['row'], run: Database['run'], schema: string): Promise<void> {
  await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  const there = await row("SELECT to_regclass('index_about') IS NOT NULL AS there")
  const about = there?.there === true ? await row('SELECT version FROM index_about') : undefined
  const version = Number(about?.version ?? 0)
  if (version === POSTGRES_INDEX_VERSION) return
  if (version > POSTGRES_INDEX_VERSION)
    throw new Refused(
      failure(
        'invalid',
        'The session index was created by a newer Panoptes. Update this hub and restart it.',
      ),
    )
  await run(`BEGIN; ${dropTables} ${indexTables} COMMIT`)
}

function createIndex(database: Database, where: string, messagesAPart: number | undefined): SessionIndex {
  const answer = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
    try {
      return success(await work())
    } catch (error) {
      return toFailure(error, where)
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
    fingerprints: (source) =>
      answer(async () => {
        const found = await database.rows(
          `SELECT id, fingerprint FROM index_sessions WHERE source = $1 AND fingerprint IS NOT NULL
           UNION ALL SELECT id, fingerprint FROM index_aged WHERE source = $1`,
          [source],
        )
        return new Map(found.map(({ id, fingerprint }) => [String(id), String(fingerprint)]))
      }),
    write,
    batch,
    list: (query) => answer(() => listed(database, query)),
    get: (source, id) => answer(() => got(database, source, id)),
    works: (query) => answer(() => readWorks(database, query)),
    stats: (filter, by) => answer(() => readStats(database, filter, by)),
    agents: (source, id) => answer(() => readAgents(database, source, id)),
    search: (query) => answer(() => search(database, query)),
    recall: (query) => answer(() => recall(database, query)),
    folded: (fold, source) =>
      answer(async () => {
        const found = await database.rows(
          'SELECT version, listed FROM index_folds WHERE fold = $1 AND source = $2',
          [fold, source],
        )
        return found.map(({ version, listed }) => ({ version: String(version), listed: String(listed) }))
      }),
    foldDocs: (fold, source, ids) =>
      answer(async () => {
        const found = await database.rows(
          'SELECT id, doc FROM index_folds WHERE fold = $1 AND source = $2 AND id = ANY($3)',
          [fold, source, ids],
        )
        return new Map(found.map(({ id, doc }) => [String(id), decompressFold(doc as Uint8Array)]))
      }),
    repriced: async (priceMark) => {
      const before = await writer.commit()
      if (!before.ok) return before
      const prices = await answer(() => findChangedPrices(database, priceMark))
      if (!prices.ok || prices.value.length === 0) return prices.ok ? success(0) : prices
      return writer.runAlone((connection) => reprice(connection, prices.value))
    },
    refolded: async (rules) => {
      const changed = await answer(() => findChangedRules(database, rules))
      if (!changed.ok || changed.value.length === 0) return changed.ok ? success(0) : changed
      return writer.runAlone((connection) => refold(connection, changed.value))
    },
    retain: async (before) => {
      const old = await answer(() => findAged(database, before))
      if (!old.ok) return old
      if (old.value.length === 0) return success(0)
      const dropped = await write(old.value.map(({ source, id }) => ({ type: 'drop', source, id })))
      return dropped.ok ? writer.runAlone((connection) => keepAged(connection, old.value)) : dropped
    },
    hidden: () => answer(() => listHidden(database)),
    forget: async (sessions) => {
      const about = await writer.runAlone((connection) => aboutSessions(connection, sessions))
      if (!about.ok) return about
      const dropped = await write(sessions.map(({ source, id }) => ({ type: 'drop', source, id })))
      if (!dropped.ok) return dropped
      const mended = await writer.runAlone(async (connection, state) => {
        await connection.run(
          'DELETE FROM index_folds WHERE (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))',
          [sessions.map(({ source }) => source), sessions.map(({ id }) => id)],
        )
        return repairTornParts(connection, state)
      })
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

/**
 * Finds the sessions to drop. Sessions that an earlier limit dropped and this one allows leave the
 * list of dropped sessions, so that they are read again.
 */
async function findAged({ rows, run }: Database, before: number | null): Promise<readonly Aged[]> {
  await run('DELETE FROM index_aged WHERE $1::bigint IS NULL OR last_at >= $1', [before])
  const found = await rows(
    'SELECT source, id, fingerprint, last_at FROM index_sessions WHERE last_at < $1 AND fingerprint IS NOT NULL',
    [before],
  )
  return found as unknown as readonly Aged[]
}

async function keepAged({ run }: Connection, sessions: readonly Aged[]): Promise<number> {
  await run('INSERT INTO index_aged SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])', [
    sessions.map(({ source }) => source),
    sessions.map(({ id }) => id),
    sessions.map(({ fingerprint }) => fingerprint),
    sessions.map(({ last_at }) => last_at),
  ])
  return sessions.length
}

async function listHidden({ rows }: Database): Promise<readonly HiddenSession[]> {
  const found = await rows(
    `SELECT source, id, 'begun' AS why FROM index_sessions WHERE fingerprint IS NULL
     UNION ALL SELECT source, id, 'aged' FROM index_aged`,
  )
  return found as unknown as readonly HiddenSession[]
}

/** Finds the models whose price differs from the one their sessions were read with, and the current price. */
async function findChangedPrices(
  { rows }: Pick<Connection, 'rows'>,
  priceMark: (model: string) => string,
): Promise<readonly (readonly [model: string, mark: string])[]> {
  const found = await rows(
    `SELECT m.model, p.mark FROM (SELECT DISTINCT model FROM index_models) AS m LEFT JOIN index_prices AS p USING (model)`,
  )
  return found.flatMap(({ model, mark }) => {
    const now = priceMark(String(model))
    return now === mark ? [] : [[String(model), now] as const]
  })
}

/**
 * Removes the fingerprint of sessions that were read with another price: they stay visible and are read
 * again.
 */
async function reprice(
  { run }: Connection,
  prices: readonly (readonly [model: string, mark: string])[],
): Promise<number> {
  const models = prices.map(([model]) => model)
  const count = await run(
    `UPDATE index_sessions SET fingerprint = '' WHERE fingerprint <> '' AND number IN
       (SELECT session FROM index_models JOIN index_prices USING (model) WHERE model = ANY($1))`,
    [models],
  )
  await run('DELETE FROM index_prices WHERE model = ANY($1)', [models])
  await run('INSERT INTO index_prices SELECT * FROM unnest($1::text[], $2::text[])', [
    models,
    prices.map(([, mark]) => mark),
  ])
  return count
}

/** Finds the folds whose rules differ from those their sessions were read with. */
async function findChangedRules(
  { rows }: Pick<Database, 'rows'>,
  rules: ReadonlyMap<string, string>,
): Promise<readonly (readonly [fold: string, rules: string])[]> {
  const found = await rows('SELECT fold, rules FROM index_fold_rules')
  const stored = new Map(found.map((row) => [String(row.fold), String(row.rules)]))
  return [...rules].filter(([fold, own]) => stored.get(fold) !== own)
}

/**
 * Removes the fingerprint of all sessions because a fold has other rules than when they were read: they stay
 * visible and are read again.
 */
async function refold(
  { run }: Connection,
  changed: readonly (readonly [fold: string, rules: string])[],
): Promise<number> {
  const names = changed.map(([fold]) => fold)
  await run('DELETE FROM index_fold_rules WHERE fold = ANY($1)', [names])
  await run('INSERT INTO index_fold_rules SELECT * FROM unnest($1::text[], $2::text[])', [
    names,
    changed.map(([, own]) => own),
  ])
  const sessions = await run("UPDATE index_sessions SET fingerprint = '' WHERE fingerprint <> ''")
  // Those that are too old are read as well, and then dropped again: their results stay.
  return sessions + (await run('DELETE FROM index_aged'))
}

/** Counts what the index contains of these sessions. */
async function aboutSessions(
  { rows }: Connection,
  sessions: readonly SessionRef[],
): Promise<ForgottenCounts> {
  const found = await rows(
    `SELECT sum(s.messages) AS messages
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (source, id, n) JOIN index_sessions AS s USING (source, id)
     GROUP BY asked.n`,
    [sessions.map(({ source }) => source), sessions.map(({ id }) => id)],
  )
  return {
    sessions: found.length,
    messages: found.reduce((sum, { messages }) => sum + Number(messages), 0),
  }
}

/** Rebuilds parts, because removed words stay in their part until it is rewritten. */
async function repairTornParts(connection: Connection, state: State): Promise<null> {
  for (const part of state.parts.tornParts) {
    const { segments } = state.parts.of(part)
    if (segments.length > 0)
      await merge(
        connection,
        state,
        part,
        segments.map(({ segment }) => segment),
      )
    await connection.run('UPDATE index_parts SET torn = false WHERE number = $1', [part])
    state.parts.of(part).torn = false
  }
  return null
}

/** Rewrites the tables, because pages keep traces of removed rows. */
async function scrub({ rows, run }: Database): Promise<void> {
  const tables = await rows(
    `SELECT relname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname LIKE 'index\\_%' ORDER BY relname`,
  )
  for (const { relname } of tables) await run(`VACUUM (FULL, ANALYZE) ${String(relname)}`)
}
