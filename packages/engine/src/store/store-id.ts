import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { spaceSchema } from './open-store.ts'
import { openDatabase } from './postgres/database.ts'
import { formatAddress, toFailure } from './postgres/failures.ts'

/**
 * Returns the identity of a space's tables. A restored backup or dump has another identity; a standby that
 * takes over has the same.
 */
export const storeIdReader = (url: string, space: string) => async (): Promise<Result<string>> => {
  const schema = spaceSchema(space)
  const database = openDatabase(url, schema, { max: 1 })
  try {
    const row = await database.row(
      `SELECT concat_ws('.', (SELECT system_identifier FROM pg_control_system()),
           (SELECT oid FROM pg_database WHERE datname = current_database()),
           (SELECT oid FROM pg_namespace WHERE nspname = $1)) AS id`,
      [schema],
    )
    return success(String(row?.id))
  } catch (error) {
    return toFailure(error, formatAddress(url))
  } finally {
    await database.close()
  }
}
