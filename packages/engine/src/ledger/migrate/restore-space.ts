import { type Job, Refused, type Work } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Connection, openDatabase, SNAPSHOT, within } from '../postgres/database.ts'
import { failureOf, shownAddress } from '../postgres/failures.ts'
import { jobOf } from '../postgres/job.ts'
import { migrate } from '../postgres/migrations.ts'
import { rebuildOn } from '../postgres/rebuild.ts'
import { restore } from '../postgres/restore.ts'
import { verify } from '../postgres/verify.ts'
import { alone, type MovePlace, movingSchema, putInPlace, refuseFilled } from './target.ts'

export interface Restored {
  readonly events: number
  readonly last_seq: number
}

/** A backup of a space as a space again. As with a move: beside it, checked, and then in its place in one commit. */
export async function restoreSpace(
  file: string,
  place: MovePlace,
  work: Work = {},
): Promise<Result<Restored>> {
  const { url, schema, space } = place
  const database = openDatabase(url, movingSchema(schema), { max: 3, patient: true })
  const drop = () => database.run(`DROP SCHEMA IF EXISTS ${database.schema} CASCADE`)
  try {
    const job = jobOf(work, () => false)
    return success(
      await alone(database, space, async () => {
        await database.connected((connection) => refuseFilled(connection, schema, space))
        await drop()
        try {
          await restore(database, file)
          await migrate(database)
          const told = await database.connected((connection) => check(connection, database.schema, job))
          await putInPlace(database, schema, space)
          return told
        } catch (error) {
          await drop().catch(() => undefined)
          throw error
        }
      }),
    )
  } catch (error) {
    return notABackup(error, file) ?? failureOf(error, `${shownAddress(url)} (${space})`)
  } finally {
    await database.close()
  }
}

/** What the file is to blame for. A server that is asked by a socket has some of these codes too, and names no file of ours. */
function notABackup(error: unknown, file: string): Result<never> | null {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (code.startsWith('Z_') || error instanceof SyntaxError)
    return failure('invalid', `${file} is no backup of a space, or not a whole one. Nothing was restored.`)
  if (path !== file && code !== 'EISDIR') return null
  if (code === 'ENOENT') return failure('not_found', `There is no file ${file}.`)
  return code === 'EISDIR'
    ? failure('invalid', `${file} is a folder, and no backup.`)
    : failure('io', `${file} cannot be read (${code}).`)
}

/** What is derived may be of an older Panoptes: it is made anew where it differs. */
async function check(connection: Connection, schema: string, job: Job): Promise<Restored> {
  const wrong = await within(connection, `${SNAPSHOT} READ ONLY`, () => verify(connection))
  if (wrong.length > 0)
    throw new Refused(failure('corrupt', `The backup is damaged: ${wrong.join('; ')}. Nothing was restored.`))
  await rebuildOn(connection, schema, false, job)
  const head = await connection.row('SELECT base, last FROM head')
  return { events: Number(head?.last) - Number(head?.base), last_seq: Number(head?.last) }
}
