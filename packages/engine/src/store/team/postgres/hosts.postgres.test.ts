import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { type OwnDatabase, ownDatabase } from './database.test-kit.ts'
import { teamMigrations } from './tables.ts'
import { openTeam } from './team.ts'

let database: OwnDatabase
let team: Team
beforeAll(async () => {
  database = await ownDatabase()
  team = value(await openTeam({ url: database.url }))
})
afterAll(async () => {
  await team.close()
  await database.drop()
})

const make = async () =>
  value(await team.createToken({ label: 'x', space: 'main', scope: 'ingest', role: 'member' })).about

/** This many migrations existed before hosts were recorded. */
const BEFORE = 2

describe('host of a token', () => {
  it('is unknown until the token sent something, and then is the last host with its time', async () => {
    const { id, host, host_seen } = await make()
    expect([host, host_seen]).toEqual([null, null])
    value(await team.sawHost(id, 'desk'))
    value(await team.sawHost(id, 'laptop'))
    const [listed] = value(await team.tokens('main')).filter((token) => token.id === id)
    expect(listed).toMatchObject({ host: 'laptop', host_seen: expect.any(Number) })
    expect(Math.abs(Number(listed?.host_seen) - Date.now())).toBeLessThan(60_000)
    expect(await team.sawHost('nobody', 'desk')).toMatchObject({ ok: true })
  })

  it('is added to an existing team while its hubs keep running', async () => {
    await team.close()
    await database.ask(`
      DROP SCHEMA panoptes_team CASCADE;
      CREATE SCHEMA panoptes_team;
      SET search_path = panoptes_team;
      ${teamMigrations.slice(0, BEFORE).join(';')};
      CREATE TABLE schema_versions (version integer PRIMARY KEY);
      INSERT INTO schema_versions SELECT generate_series(1, ${BEFORE});
      INSERT INTO tokens (id, hash, hint, label, space, scope, role, created_at)
        VALUES ('t', '\\x00', 'pt_…', 'x', 'main', 'ingest', 'member', 1)`)
    team = value(await openTeam({ url: database.url }))
    const [listed] = value(await team.tokens('main')).filter((token) => token.id === 't')
    expect(listed).toMatchObject({ label: 'x', host: null, host_seen: null })
  })
})

describe("team whose hubs recorded a person's activity only as a whole", () => {
  it("reports a person's last activity for their only space, and for none when they are in several", async () => {
    await team.close()
    const before = teamMigrations.findIndex((sql) => sql.includes('ALTER TABLE members'))
    await database.ask(`
      DROP SCHEMA panoptes_team CASCADE;
      CREATE SCHEMA panoptes_team;
      SET search_path = panoptes_team;
      ${teamMigrations.slice(0, before).join(';')};
      CREATE TABLE schema_versions (version integer PRIMARY KEY);
      INSERT INTO schema_versions SELECT generate_series(1, ${before});
      INSERT INTO spaces VALUES ('blue', 1);
      INSERT INTO users (id, email, email_key, name, created_at, last_seen)
        VALUES ('one', 'one@a', 'one@a', '', 5, 7), ('both', 'both@a', 'both@a', '', 5, 7);
      INSERT INTO members VALUES ('one', 'blue', 'member'), ('both', 'main', 'admin'), ('both', 'blue', 'viewer')`)
    team = value(await openTeam({ url: database.url }))
    const [both, one] = value(await team.users('blue'))
    expect(one).toMatchObject({ id: 'one', created_at: 5, last_seen: 7 })
    expect(both).toMatchObject({ id: 'both', roles: { blue: 'viewer' }, last_seen: null })
    expect(both?.created_at).toBeGreaterThan(7)
  })
})
