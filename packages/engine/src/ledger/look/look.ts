import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { hubsIn } from '../hubs/postgres.ts'
import { TEAM_SCHEMA } from '../place.ts'
import { type Connection, openDatabase } from '../postgres/database.ts'
import { failureOf, shownAddress } from '../postgres/failures.ts'
import { teamMigrations } from '../team/postgres/tables.ts'
import { lookAtDatabase } from './database.ts'
import type { Look, SpaceLook, TeamLook } from './port.ts'
import { lookAtSpace } from './spaces.ts'

const DAY_MS = 86_400_000
const SOON_DAYS = 14

/** Looks at all that a team's database tells, and changes nothing in it. */
export async function lookAt(url: string): Promise<Result<Look>> {
  const database = openDatabase(url, TEAM_SCHEMA, {
    max: 1,
    patient: true,
    application_name: 'panoptes doctor',
  })
  const began = performance.now()
  try {
    return success(
      await database.connected(async (connection) => {
        await connection.run('SET default_transaction_read_only = on')
        const about = await lookAtDatabase(connection, performance.now() - began)
        const team = await lookAtTeam(connection)
        const spaces: SpaceLook[] = []
        for (const name of team === null ? [] : await spacesIn(connection)) {
          const space = await lookAtSpace(connection, name)
          if (space !== null) spaces.push(space)
        }
        return { database: about, team, spaces }
      }),
    )
  } catch (error) {
    return failureOf(error, shownAddress(url))
  } finally {
    await database.close()
  }
}

const isMade = async ({ row }: Connection, table: string): Promise<boolean> =>
  (await row('SELECT to_regclass($1) IS NOT NULL AS made', [`${TEAM_SCHEMA}.${table}`]))?.made === true

const spacesIn = async ({ rows }: Connection): Promise<readonly string[]> =>
  (await rows('SELECT name FROM spaces ORDER BY name')).map(({ name }) => String(name))

async function lookAtTeam(connection: Connection): Promise<TeamLook | null> {
  const { row, rows } = connection
  if (!(await isMade(connection, 'tokens'))) return null
  const now = Date.now()
  const about = await row(
    `SELECT (SELECT max(version) FROM schema_versions) AS version, (SELECT count(DISTINCT id) FROM users JOIN members ON user_id = id WHERE NOT disabled) AS people,
       (SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1::bigint)) AS tokens`,
    [now],
  )
  const expiring = await rows(
    `SELECT label, space, hint, expires_at, last_used > $1::bigint - ${7 * DAY_MS} AS used FROM tokens
     WHERE revoked_at IS NULL AND expires_at > $1::bigint - ${DAY_MS} AND expires_at < $1::bigint + ${SOON_DAYS * DAY_MS} ORDER BY expires_at LIMIT 100`,
    [now],
  )
  const machines = await rows(
    // A team that no hub has brought up to date yet has no such columns.
    `SELECT label, space, hint, last_used, to_jsonb(tokens) ->> 'host' AS host FROM tokens
     WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1::bigint)
       AND (scope = 'ingest' OR (scope = 'full' AND user_id IS NULL AND role <> 'viewer'))
     ORDER BY last_used DESC NULLS LAST, created_at LIMIT 1000`,
    [now],
  )
  return {
    version: Number(about?.version),
    known: teamMigrations.length,
    people: Number(about?.people),
    tokens: Number(about?.tokens),
    hubs: (await isMade(connection, 'hubs')) ? await hubsIn(connection) : [],
    expiring: expiring.map(({ label, space, hint, expires_at, used }) => ({
      label: String(label),
      space: String(space),
      hint: String(hint),
      days: Math.floor((Number(expires_at) - now) / DAY_MS),
      used: used === true,
    })),
    machines: machines.map(({ label, space, hint, last_used, host }) => ({
      label: String(label),
      space: String(space),
      hint: String(hint),
      last_used: last_used === null ? null : Number(last_used),
      host: host === null ? null : String(host),
    })),
  }
}
