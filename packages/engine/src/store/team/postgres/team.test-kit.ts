import type { Role, TeamUser } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { MadeToken, Team, TokenRequest } from '../port.ts'
import { type OwnDatabase, ownDatabase } from './database.test-kit.ts'
import { openTeam } from './team.ts'

interface OwnTeam {
  readonly ask: OwnDatabase['ask']
  readonly person: (email: string, role?: Role, space?: string) => Promise<TeamUser>
  readonly createToken: (wish?: Partial<TokenRequest>) => Promise<MadeToken>
}

/** Gives each test an empty team that two hubs have open. */
export function useTeam(opened: (team: Team, other: Team) => void): OwnTeam {
  let database: OwnDatabase
  let hubs: readonly [Team, Team]
  const open = async () => value(await openTeam({ url: database.url }))

  beforeAll(async () => {
    database = await ownDatabase()
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    await database.ask('DROP SCHEMA IF EXISTS panoptes_team CASCADE')
    // Both open at once, like hubs that start together.
    hubs = await Promise.all([open(), open()])
    opened(...hubs)
  })
  afterEach(async () => {
    await Promise.all(hubs.map((team) => team.close()))
  })

  return {
    ask: (sql, values) => database.ask(sql, values),
    person: async (email, role = 'member', space = 'main') => {
      const { id } = value(await hubs[0].createUser({ email }))
      return value(await hubs[0].setRole(id, space, role))
    },
    createToken: async (wish = {}) =>
      value(
        await hubs[0].createToken({
          label: 'build machine',
          space: 'main',
          scope: 'ingest',
          role: 'member',
          ...wish,
        }),
      ),
  }
}
