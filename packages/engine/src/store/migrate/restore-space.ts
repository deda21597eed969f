import { type Job, Refused, type Work } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Connection, openDatabase, runTransaction, SNAPSHOT } from '../postgres/database.ts'
import { formatAddress, toFailure } from '../postgres/failures.ts'
import { createJob } from '../postgres/job.ts'
import { migrate } from '../postgres/migrations.ts'
import { rebuildOn } from '../postgres/rebuild.ts'
import { restore } from '../postgres/restore.ts'
import { verify } from '../postgres/verify.ts'
import { type MovePlace, movingSchema, putInPlace, refuseFilled, withMigrationLock } from './target.ts'

export interface Restored {
  readonly events: number
  readonly last_seq: number
}

/**
 * Restores a backup of a space. Like a move, it builds a schema beside the space, checks it, and puts it in
 * place in one commit.
 */
export async function restoreSpace(
  file: string,
  place: MovePlace,
  work: Work = {},
): Promise<Result<Restored>> {
  const { url, schema, space } = place
  const database = openDatabase(url, movingSchema(schema), { max: 3, patient: true })
  const drop = () => database.run(`DROP SCHEMA IF EXISTS ${database.schema} CASCADE`)
  try {
    const job = createJob(work, () => false)
    return success(
      await withMigrationLock(database, space, async () => {
        await database.withConnection((connection) => refuseFilled(connection, schema, space))
        await drop()
        try {
          await restore(database, file)
          await migrate(database)
          const checked = await database.withConnection((connection) =>
            check(connection, database.schema, job),
          )
          await putInPlace(database, schema, space)
          return checked
        } catch (error) {
          await drop().catch(() => undefined)
          throw error
        }
      }),
    )
  } catch (error) {
    return notABackup(error, file) ?? toFailure(error, `${formatAddress(url)} (${space})`)
  } finally {
    await database.close()
  }
}

/**
 * Detects errors that the backup file causes. A server reached by a socket reports some of the same codes,
 * but does not name our file.
 */
function notABackup(error: unknown, file: string): Result<never> | null {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (code.startsWith('Z_') || error instanceof SyntaxError)
    return failure('invalid', `${file} is not a complete backup of a space. Nothing was restored.`)
  if (path !== file && code !== 'EISDIR') return null
  if (code === 'ENOENT') return failure('not_found', `${file} does not exist.`)
  return code === 'EISDIR'
    ? failure('invalid', `${file} is a folder, not a backup.`)
    : failure('io', `${file} cannot be read (${code}).`)
}

/** Projections may come from an older Panoptes, so they are computed anew where they differ. */
async function check(connection: Connection, schema: string, job: Job): Promise<Restored> {
  const wrong = await runTransaction(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection))
  if (wrong.length > 0)
    throw new Refused(failure('corrupt', `The backup is damaged: ${wrong.join('; ')}. Nothing was restored.`))
  const { events } = await rebuildOn(connection, schema, false, job)
  const head = await connection.row('SELECT last FROM head')
  return { events, last_seq: Number(head?.last) }
}
