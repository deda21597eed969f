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

/** How many migrations there were. */
const BEFORE = 2

describe('which computer sends with a token', () => {
  it('is not known before something was sent, then the last one and when', async () => {
    const { id, host, host_seen } = await make()
    expect([host, host_seen]).toEqual([null, null])
    value(await team.sawHost(id, 'desk'))
    value(await team.sawHost(id, 'laptop'))
    const [told] = value(await team.tokens('main')).filter((token) => token.id === id)
    expect(told).toMatchObject({ host: 'laptop', host_seen: expect.any(Number) })
    expect(Math.abs(Number(told?.host_seen) - Date.now())).toBeLessThan(60_000)
    expect(await team.sawHost('nobody', 'desk')).toMatchObject({ ok: true })
  })

  it('is added to a team of before, whose hubs go on', async () => {
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
    const [told] = value(await team.tokens('main')).filter((token) => token.id === 't')
    expect(told).toMatchObject({ label: 'x', host: null, host_seen: null })
  })
})
