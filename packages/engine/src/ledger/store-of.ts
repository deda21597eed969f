import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { schemaOf } from './place.ts'
import { openDatabase } from './postgres/database.ts'
import { failureOf, shownAddress } from './postgres/failures.ts'

/**
 * Names the tables of a space themselves: what was restored from a backup or a dump has another name, a standby that takes over has the
 * same.
 */
export const storeOf = (url: string, space: string) => async (): Promise<Result<string>> => {
  const schema = schemaOf(space)
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
    return failureOf(error, shownAddress(url))
  } finally {
    await database.close()
  }
}
