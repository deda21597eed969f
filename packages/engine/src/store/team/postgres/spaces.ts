import { Refused } from '@panoptes/engine/worker-rpc'
import { FIRST_SPACE, type Result, spaceName } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { spaceSchema } from '../../open-store.ts'
import { type Database, openDatabase } from '../../postgres/database.ts'
import { formatAddress, toFailure } from '../../postgres/failures.ts'

interface SpacePlace {
  readonly url: string
  readonly space: string
}

/** Counts what is deleted along with a space. */
export interface SpaceHolds {
  readonly events: number
  readonly sessions: number
  readonly conversations: number
}

/**
 * Closes a space to everyone by deleting its tokens, sign-ins and roles. Its data stays until it is dropped.
 */
export const removeSpace = (database: Database, name: string): Promise<null> =>
  database.transaction(async ({ run }) => {
    if (name === FIRST_SPACE)
      throw new Refused(
        failure('invalid', `The space "${FIRST_SPACE}" is the first one and cannot be deleted.`),
      )
    for (const table of ['tellers', 'tokens', 'sign_ins', 'members'])
      await run(`DELETE FROM ${table} WHERE space = $1`, [name])
    const gone = await run('DELETE FROM spaces WHERE name = $1', [name])
    if (gone === 0) throw new Refused(failure('not_found', `No space is named "${name}".`))
    return null
  })

/** Returns null when the database has no data of the space. */
export const spaceHolds = (place: SpacePlace): Promise<Result<SpaceHolds | null>> =>
  withSpaceDatabase(place, async ({ row }) => {
    const made = await row('SELECT to_regclass($1) IS NOT NULL AS made', [
      `${spaceSchema(place.space)}.events`,
    ])
    if (made?.made !== true) return null
    const found = await row(
      `SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM transcripts) AS sessions,
         (SELECT count(*) FROM conversations) AS conversations`,
    )
    return {
      events: Number(found?.events),
      sessions: Number(found?.sessions),
      conversations: Number(found?.conversations),
    }
  })

/** Permanently deletes everything that the space held. */
export const dropSpace = (place: SpacePlace): Promise<Result<null>> =>
  withSpaceDatabase(place, async ({ run }) => {
    await run(`DROP SCHEMA IF EXISTS ${spaceSchema(place.space)} CASCADE`)
    return null
  })

async function withSpaceDatabase<T>(
  { url, space }: SpacePlace,
  work: (database: Pick<Database, 'row' | 'run'>) => Promise<T>,
): Promise<Result<T>> {
  // A name that is not valid may lead to the same schema as another one.
  if (!spaceName.safeParse(space).success) return failure('not_found', `No space is named "${space}".`)
  const database = openDatabase(url, spaceSchema(space), { max: 1, patient: true })
  try {
    return success(await work(database))
  } catch (error) {
    return toFailure(error, formatAddress(url))
  } finally {
    await database.close()
  }
}
