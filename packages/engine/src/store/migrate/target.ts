import { Refused } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Connection, type Database, openDatabase, runTransaction } from '../postgres/database.ts'
import { formatAddress, toFailure } from '../postgres/failures.ts'
import { LOCKS } from '../postgres/locks.ts'

export interface MovePlace {
  readonly url: string
  readonly space: string
  /** The schema of the space. */
  readonly schema: string
}

/** Tables that a hub fills itself when it opens the space, or that mean nothing without the others. */
const OWN = ['schema_versions', 'head', 'projection_versions', 'marks', 'achieved_notes']
const INDEX = 'index\\_%'

/**
 * Returns the name of the schema that is being filled. It takes the place of the space's schema when it is
 * complete and checked.
 */
export const movingSchema = (schema: string): string => `moving_${schema}`.slice(0, 63)

/** Returns whether a space already holds data. A space that does not exist yet holds none. */
async function isFilled({ row, rows }: Pick<Connection, 'row' | 'rows'>, schema: string): Promise<boolean> {
  const tables = await rows(
    `SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT c.relname = ANY($2)
       AND c.relname NOT LIKE $3 ORDER BY c.relname`,
    [schema, OWN, INDEX],
  )
  for (const { relname } of tables) {
    const found = await row(`SELECT EXISTS (SELECT FROM "${schema}"."${String(relname)}") AS filled`)
    if (found?.filled === true) return true
  }
  return false
}

export async function refuseFilled(
  connection: Pick<Connection, 'row' | 'rows'>,
  schema: string,
  space: string,
) {
  if (await isFilled(connection, schema))
    throw new Refused(
      failure(
        'invalid',
        `The space ${space} already has data; only a new or empty space can be filled. Nothing was changed.`,
      ),
    )
}

/** Returns whether a space already holds data. Callers check this before anything else. */
export async function hasData({ url, schema }: MovePlace): Promise<Result<boolean>> {
  const database = openDatabase(url, schema, { max: 1 })
  try {
    return success(await database.withConnection((connection) => isFilled(connection, schema)))
  } catch (error) {
    return toFailure(error, formatAddress(url))
  } finally {
    await database.close()
  }
}

/**
 * Ensures that only one process moves data into a space. The server releases the lock however the process
 * ends.
 */
export const withMigrationLock = <T>(database: Database, space: string, work: () => Promise<T>): Promise<T> =>
  database.withConnection(async (connection) => {
    const lock = [LOCKS.migrate, `${database.schema} is being filled`]
    const found = await connection.row('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', lock)
    if (found?.taken !== true)
      throw new Refused(
        failure('locked', `Another migration into the space ${space} is running. Wait for it to finish.`),
      )
    try {
      return await work()
    } finally {
      await connection.run('SELECT pg_advisory_unlock($1, hashtext($2))', lock).catch(() => undefined)
    }
  })

/** Swaps the schemas in one commit: the space holds either the moved data or what it held before. */
export const putInPlace = (moving: Database, schema: string, space: string): Promise<void> =>
  moving.withConnection((connection) =>
    runTransaction(connection, 'BEGIN', async () => {
      await connection.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.migrate, schema])
      await refuseFilled(connection, schema, space)
      await connection.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await connection.run(`ALTER SCHEMA ${moving.schema} RENAME TO ${schema}`)
    }),
  )
