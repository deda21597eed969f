import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { generateNewEvents } from '@panoptes/engine/demo'
import { type EventStore, openHubs, openStore } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { collect, exitOf, makeHome, runCommand, spawnCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'
import { sharedNats, usePostgres } from './setup/shared-servers.ts'

const EVENTS = 8_000
/** Each test starts a dozen processes. */
vi.setConfig({ testTimeout: 180_000 })

const postgres = usePostgres()
const server = new Client({ connectionString: postgres })
let name = ''
let url = ''
let home: TestHome

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

async function json(...args: readonly string[]): Promise<Record<string, unknown> & { code: number | null }> {
  const { code, stdout } = await runCommand(home, [...args, '--json'])
  return { ...(JSON.parse(stdout) as object), code }
}

async function isThere(schema: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT to_regnamespace($1) AS there', [schema])
  await client.end()
  return rows[0].there !== null
}

async function filled(table: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`SELECT EXISTS (SELECT FROM ${table}) AS filled`)
    return rows[0].filled
  } finally {
    await client.end()
  }
}

/** The answers of a space, as far as a person would look. */
async function lookAt(space: string): Promise<unknown> {
  const store = value(await openStore({ kind: 'postgres', url, space }))
  try {
    return await answers(store)
  } finally {
    await store.close()
  }
}
const answers = async (store: EventStore) => ({
  head: value(await store.head()),
  counters: value(await store.counters()),
  agents: value(await store.agents({ limit: 100 })),
  page: value(await store.read({ after: EVENTS / 2, limit: 50 })),
  wrong: value(await store.verify()),
})

beforeAll(() => server.connect())
afterAll(() => server.end())
beforeEach(async () => {
  name = `move_${randomUUID().replaceAll('-', '')}`
  await server.query(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`)
  url = Object.assign(new URL(postgres), { pathname: `/${name}` }).href
  home = await makeHome()
})
afterEach(async () => {
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await home.remove()
})

async function fill(): Promise<unknown> {
  const file = join(home.panoptes, 'ledger.db')
  const store = value(await openStore({ kind: 'sqlite', file }))
  const list = [...generateNewEvents({ seed: 5, events: EVENTS })]
  for (let at = 0; at < list.length; at += 2_000) value(await store.append(list.slice(at, at + 2_000)))
  const told = await answers(store)
  await store.close()
  return told
}

describe('panoptes migrate', () => {
  it('moves a store despite being killed repeatedly, and never leaves a partial space', async () => {
    const before = await fill()
    await mkdir(join(home.panoptes, 'templates'))
    await writeFile(join(home.panoptes, 'templates', 'good.json'), '{"name":"good"}')
    const checked = await json('migrate', '--to', url, '--check')
    expect(checked).toMatchObject({ code: 0, ok: true, check: true, events: EVENTS })
    for (const afterMs of [0, 300, 900]) {
      const child = spawnCommand(home, ['migrate', '--to', url])
      const exit = exitOf(child)
      await expect.poll(() => isThere('moving_space_main'), { timeout: 30_000, interval: 20 }).toBe(true)
      await setTimeout(afterMs)
      child.kill('SIGKILL')
      await exit
      expect(await isThere('space_main')).toBe(false)
    }
    const moved = await json('migrate', '--to', url)
    expect(moved).toMatchObject({ code: 0, ok: true, space: 'main', events: EVENTS, last_seq: EVENTS })
    expect(await lookAt('main')).toEqual(before)
    expect(moved.tables).toContainEqual(expect.objectContaining({ table: 'template_texts', rows: 1 }))
    const second = await runCommand(home, ['migrate', '--to', url])
    expect(second.code).toBe(1)
    expect(second.stderr).toContain('The space main already has data')
    expect(second.stderr).toContain('forward --to URL --from-start')
    expect(second.stderr).not.toContain('accounts')
    expect(await json('migrate', '--to', url, '--space', 'second')).toMatchObject({
      code: 0,
      space: 'second',
    })
    expect(await lookAt('second')).toEqual(before)
  })

  it('moves conversations only if an owner is given for them', async () => {
    const store = value(await openStore({ kind: 'sqlite', file: join(home.panoptes, 'ledger.db') }))
    const head = { id: 'c1', title: 'Where is the quokka?', runtime: null, model: null }
    const rest = { created_at: 1, updated_at: 1, messages_count: 0, run_id: null, forked_from: null }
    value(await store.conversations.create({ ...head, ...rest }))
    await store.close()
    expect(await json('migrate', '--to', url)).toMatchObject({
      code: 2,
      ok: false,
      next: expect.stringContaining('--owner everybody'),
    })
    expect(await isThere('space_main')).toBe(false)
    expect(await json('migrate', '--to', url, '--check')).toMatchObject({ code: 0, ok: true })
    expect(await json('migrate', '--to', url, '--owner', 'nobody@example.org')).toMatchObject({ ok: false })
    expect(await isThere('space_main')).toBe(false)
    expect(await json('migrate', '--to', url, '--owner', 'everybody')).toMatchObject({ code: 0, ok: true })
    const moved = value(await openStore({ kind: 'postgres', url, space: 'main' }))
    expect(value(await moved.conversations.head('c1'))).toMatchObject({ title: head.title })
    await moved.close()
  })

  it('fills a space that a hub with a bus has opened, and that is still empty', async () => {
    const bus = sharedNats()
    const before = await fill()
    const hubs = await makeHome()
    const hub = await startDaemon({ home: hubs, args: ['--ledger', url, '--bus', bus] })
    await expect.poll(() => filled('space_main.marks'), { timeout: 30_000 }).toBe(true)
    await expect.poll(() => filled('space_main.index_about'), { timeout: 30_000 }).toBe(true)
    await hub.stop()
    await hubs.remove()
    expect(await json('migrate', '--to', url)).toMatchObject({ code: 0, ok: true })
    expect(await lookAt('main')).toEqual(before)
  })

  it('exits on Ctrl-C and leaves nothing behind', async () => {
    await fill()
    const child = spawnCommand(home, ['migrate', '--to', url])
    const said = collect(child, 'stderr')
    const exit = exitOf(child)
    await expect.poll(() => isThere('moving_space_main'), { timeout: 30_000, interval: 20 }).toBe(true)
    child.kill('SIGINT')
    expect(await exit, said()).toBe(130)
    expect([await isThere('space_main'), await isThere('moving_space_main')]).toEqual([false, false])
  })

  it('refuses while Panoptes runs, an invalid address, and a missing database', async () => {
    const daemon = await startDaemon({ home })
    try {
      const refused = await runCommand(home, ['migrate', '--to', url])
      expect(refused.code).toBe(4)
      expect(refused.stderr).toContain('panoptes stop')
    } finally {
      await daemon.stop()
    }
    const hubs = value(await openHubs(url))
    const hub = {
      id: 'h',
      host: 'studio',
      pid: 7,
      version: '1.0.0',
      address: 'http://127.0.0.1:8201',
      bus: false,
    }
    value(await hubs.beat({ ...hub, spaces: ['main'] }))
    const open = await runCommand(home, ['migrate', '--to', url])
    expect(open.code).toBe(4)
    expect(open.stderr).toContain('process 7 on studio')
    await hubs.close()
    expect((await runCommand(home, ['migrate', '--to', 'http://db'])).code).toBe(2)
    const away = await runCommand(home, ['migrate', '--to', 'postgres://127.0.0.1:1/none'])
    expect(away.code).toBe(1)
    expect(away.stderr).toContain('does not answer')
  })
})

describe('panoptes backup and restore', () => {
  it('restore a space unchanged, under its name or another, and refuse an invalid backup', async () => {
    const before = await fill()
    expect(await json('migrate', '--to', url)).toMatchObject({ ok: true })
    const file = join(home.folder, 'main.backup')
    const made = await json('backup', file, '--ledger', url)
    expect(made).toMatchObject({ code: 0, ok: true, events: EVENTS, last_seq: EVENTS })
    expect(await json('backup', `${file}2`, '--ledger', url, '--space', 'none')).toMatchObject({ code: 1 })
    const args = ['--ledger', url, '--space', 'again']
    const again = await runCommand(home, ['restore', file, ...args])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('8,000 events restored') })
    expect(again.stdout).toContain('The space again has no people yet')
    expect(again.stdout).toContain('team init --email YOU@EXAMPLE.ORG --space again')
    expect(await lookAt('again')).toEqual(before)
    expect(await json('rebuild', '--check', ...args)).toMatchObject({ code: 0, ok: true, events: EVENTS })
    const filled = await json('restore', file, ...args)
    expect(filled).toMatchObject({
      code: 1,
      message: expect.stringContaining('The space again already has data'),
    })
    const daemon = await startDaemon({ home, args: ['--ledger', url] })
    const byHub = await json('backup', `${file}.hub`)
    // A named database is read directly, even if a hub of this home would answer for its own.
    const none = await json('rebuild', '--check', '--ledger', url, '--space', 'none')
    await daemon.stop()
    expect(none).toMatchObject({ code: 1, ok: false })
    expect(byHub).toMatchObject({ code: 0, ok: true })
    const there = await json('restore', `${file}.hub`, '--ledger', url, '--space', 'by-hub')
    expect(there).toMatchObject({ code: 0, ok: true, last_seq: byHub.last_seq })
    await writeFile(`${file}.broken`, 'no backup')
    const broken = await json('restore', `${file}.broken`, '--ledger', url, '--space', 'third')
    expect(broken).toMatchObject({
      code: 1,
      message: expect.stringContaining('is not a complete backup of a space'),
    })
    expect(await json('restore', `${file}.none`, '--ledger', url, '--space', 'third')).toMatchObject({
      code: 1,
      message: expect.stringContaining('does not exist'),
    })
    expect(await json('restore', file)).toMatchObject({ code: 2 })
    const { entries } = (await json('team', 'audit', '--ledger', url)) as unknown as { entries: object[] }
    expect(entries).toMatchObject([
      { action: 'restore', space: 'by-hub', actor: 'command line' },
      { action: 'backup', space: 'main', actor: 'this computer', target: `${file}.hub` },
      { action: 'restore', space: 'again', target: '8,000 events of main.backup' },
      { action: 'backup', space: 'main', actor: 'command line', target: file },
      { action: 'migrate', space: 'main', target: '8,000 events' },
    ])
  })
})
