import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { resolvePaths } from '@panoptes/engine/home'
import { dropSpace, openHubs, openStore, openTeam, type Team } from '@panoptes/engine/store'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { unwrap } from '@panoptes/server/testing/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Context } from '../../context.ts'
import { removeSpace } from './spaces.ts'

let folder: string
let database: OwnDatabase
let team: Team
const said: string[] = []

beforeAll(async () => {
  database = await ownDatabase()
  folder = await mkdtemp(join(tmpdir(), 'panoptes-spaces-'))
  team = unwrap(await openTeam({ url: database.url }))
})
afterAll(async () => {
  await team.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const remove = (name: string, yes = false) => {
  const output = { answer: (lines: readonly string[]) => said.push(...lines) }
  const paths = resolvePaths({ PANOPTES_HOME: folder })
  const context = { paths, env: { PANOPTES_LEDGER: database.url }, output } as unknown as Context
  return removeSpace(context, name, { yes })
}
const namesOf = async () => unwrap(await team.spaces()).map(({ name }) => name)
const schemas = async () =>
  (await database.ask("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'space%'")).map(
    ({ nspname }) => nspname,
  )
const fill = async (space: string) => {
  unwrap(await team.createSpace(space))
  const store = unwrap(await openStore({ kind: 'postgres', url: database.url, space }))
  const of = { v: 1, ts: 1, event: 'session_start', source: 'custom', host: 'h' } as const
  unwrap(await store.append(['a', 'b', 'c'].map((id) => ({ ...of, key: id, session_id: id }))))
  await store.close()
}

it('removes a space with content only with --yes, and then everything in it', async () => {
  await fill('blue')
  const ada = unwrap(await team.createUser({ email: 'ada@a.test' }))
  unwrap(await team.setRole(ada.id, 'blue', 'admin'))
  unwrap(await team.setRole(ada.id, 'main', 'admin'))
  const { token } = unwrap(
    await team.createToken({ label: 'x', space: 'blue', scope: 'full', role: 'admin', userId: ada.id }),
  )
  const signedIn = unwrap(await team.signIn(ada.id, 'blue', Date.now() + 60_000))
  await expect(remove('blue')).rejects.toMatchObject({
    message: 'The space "blue" contains 3 events, 0 sessions and 0 conversations',
    next: expect.stringContaining('panoptes team spaces remove blue --yes'),
  })
  expect(await namesOf()).toEqual(['blue', 'main'])
  await remove('blue', true)
  expect(said).toEqual(['Removed the space "blue": deleted 3 events, 0 sessions and 0 conversations'])
  expect([await namesOf(), await schemas()]).toEqual([['main'], []])
  for (const secret of [token, signedIn])
    expect(unwrap(await team.identify(secret))).toEqual({ refused: 'unknown' })
  expect(unwrap(await team.user(ada.id))?.roles).toEqual({ main: 'admin' })
  expect(unwrap(await team.audit({ space: 'main', action: 'spaces', limit: 9 })).entries).toMatchObject([
    { action: 'spaces.remove', target: 'blue', actor: 'command line', outcome: 'done' },
  ])
  await expect(remove('blue', true)).rejects.toMatchObject({ code: 'not_found' })
})

it('removes an empty space without --yes, and completes an interrupted removal', async () => {
  unwrap(await team.createSpace('empty'))
  await remove('empty')
  expect(said.at(-1)).toBe('Removed the space "empty": it was empty')
  await fill('half')
  unwrap(await team.removeSpace('half'))
  expect(await schemas()).toEqual(['space_half'])
  await remove('half', true)
  expect(await schemas()).toEqual([])
})

it('removes neither the first space, nor the space of this computer, nor one that a running hub uses', async () => {
  await expect(remove('main', true)).rejects.toMatchObject({
    message: expect.stringContaining('first space'),
  })
  expect(await team.removeSpace('main')).toMatchObject({ ok: false, code: 'invalid' })
  unwrap(await team.createSpace('green'))
  const hubs = unwrap(await openHubs(database.url))
  const hub = { id: 'h', host: 'far', pid: 1, version: '1', address: 'http://10.0.0.2:8201', bus: false }
  unwrap(await hubs.beat({ ...hub, spaces: ['green', 'main'] }))
  await expect(remove('green')).rejects.toMatchObject({
    message: expect.stringContaining('The running hub at http://10.0.0.2:8201 uses it'),
  })
  // A hub that serves the space besides its own closes it, and the command waits for that.
  unwrap(await hubs.beat({ ...hub, spaces: ['main', 'green'] }))
  setTimeout(() => void hubs.beat({ ...hub, spaces: ['main'] }), 300)
  const began = performance.now()
  await remove('green')
  expect(performance.now() - began).toBeGreaterThan(250)
  await hubs.close()
})

it('removes nothing for an invalid space name, even if a schema has that name', async () => {
  await unwrap(await openStore({ kind: 'postgres', url: database.url, space: 'main' })).close()
  await fill('blue-2')
  const before = await schemas()
  for (const name of ['Main', 'MAIN', 'blue_2', 'main; DROP SCHEMA public'])
    await expect(remove(name, true)).rejects.toMatchObject({ message: `No space is named "${name}"` })
  expect(await schemas()).toEqual(before)
  expect(await dropSpace({ url: database.url, space: 'Main' })).toMatchObject({
    ok: false,
    code: 'not_found',
  })
  expect(await schemas()).toEqual(before)
})

it('shows no audit entries of a removed space in a new one with the same name', async () => {
  const noted = {
    actor: 'ada',
    user_id: null,
    token_id: null,
    space: 'red',
    outcome: 'done' as const,
    address: null,
  }
  unwrap(await team.createSpace('red'))
  unwrap(await team.note([{ ...noted, action: 'tokens.create', target: 'old' }]))
  await remove('red', true)
  await wait(5)
  unwrap(await team.createSpace('red'))
  unwrap(await team.note([{ ...noted, action: 'tokens.create', target: 'new' }]))
  const { entries } = unwrap(await team.audit({ space: 'red', limit: 10 }))
  expect(entries.map(({ target }) => target)).toEqual(['new'])
})
