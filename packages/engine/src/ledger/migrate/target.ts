import { Refused } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Connection, type Database, openDatabase, within } from '../postgres/database.ts'
import { failureOf, shownAddress } from '../postgres/failures.ts'
import { LOCKS } from '../postgres/locks.ts'

export interface MovePlace {
  readonly url: string
  readonly space: string
  /** The schema that the space is. */
  readonly schema: string
}

/** Tables that are filled by themselves when a hub opens the space, or are of no meaning without the others. */
const OWN = ['schema_versions', 'head', 'projection_versions', 'marks', 'achieved_notes']
const INDEX = 'index\\_%'

/** The schema that is filled, and takes the place of the space's own when all of it is there and right. */
export const movingSchema = (schema: string): string => `moving_${schema}`.slice(0, 63)

/** Whether a space holds something already; one that is not there yet does not. */
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
        `The space ${space} has data already, and only a new or an empty one can be filled. Nothing was changed.`,
      ),
    )
}

/** Whether a space holds something already, asked before anything else is done. */
export async function hasData({ url, schema }: MovePlace): Promise<Result<boolean>> {
  const database = openDatabase(url, schema, { max: 1 })
  try {
    return success(await database.connected((connection) => isFilled(connection, schema)))
  } catch (error) {
    return failureOf(error, shownAddress(url))
  } finally {
    await database.close()
  }
}

/** Only one at a time moves something into a space. The server frees the lock however the process ends. */
export const alone = <T>(database: Database, space: string, work: () => Promise<T>): Promise<T> =>
  database.connected(async (connection) => {
    const lock = [LOCKS.migrate, `${database.schema} is being filled`]
    const found = await connection.row('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', lock)
    if (found?.taken !== true)
      throw new Refused(failure('locked', `Another migrate into the space ${space} is running. Wait for it.`))
    try {
      return await work()
    } finally {
      await connection.run('SELECT pg_advisory_unlock($1, hashtext($2))', lock).catch(() => undefined)
    }
  })

/** In one commit: the space is what was moved, or still what it was. */
export const putInPlace = (moving: Database, schema: string, space: string): Promise<void> =>
  moving.connected((connection) =>
    within(connection, 'BEGIN', async () => {
      await connection.run('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.migrate, schema])
      await refuseFilled(connection, schema, space)
      await connection.run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await connection.run(`ALTER SCHEMA ${moving.schema} RENAME TO ${schema}`)
    }),
  )
