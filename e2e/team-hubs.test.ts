import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateNewEvents } from '@panoptes/engine/demo'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import type { ChatEvent, Conversation, NewEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { writeChatHome } from './chat-command-kit.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { COUNTED, startGated } from './gated-model.ts'
import { startPostgres } from './setup/postgres-server.ts'
import { type Screen, watchScreen } from './team/stream-watcher.ts'

let database: OwnDatabase
let homes: TestHome[] = []
let hubs: Daemon[] = []

beforeEach(async () => {
  database = await ownDatabase()
  homes = []
  hubs = []
})

afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub.stop()))
  for (const home of homes) await home.remove()
  await database.drop()
})

async function newHome(): Promise<TestHome> {
  const home = await makeHome()
  homes.push(home)
  return home
}

async function startOn(url: string, options: { home?: TestHome; args?: readonly string[] } = {}) {
  const home = options.home ?? (await newHome())
  const hub = await startDaemon({ home, args: ['--ledger', url, ...(options.args ?? [])] })
  hubs.push(hub)
  return hub
}

async function post(hub: Daemon, events: readonly NewEvent[]): Promise<void> {
  const reply = await hub.request('/events', {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  })
  expect(reply.status).toBe(200)
}

const day = (seed: number, count: number): readonly NewEvent[] => [
  ...generateNewEvents({ seed, events: count }),
]

function watch(hub: () => Daemon, token: string): Screen {
  const screen = watchScreen(() => hub().address, token)
  onTestFinished(() => screen.close())
  return screen
}

describe('hubs on one database', () => {
  it('send the same stream to all clients, who continue at their seq on another hub after a kill', async () => {
    const [one, other] = await Promise.all([startOn(database.url), startOn(database.url)])
    const made = await runCommand(
      one.home,
      ['team', 'tokens', 'create', '--label', 'screen', '--scope', 'full', '--role', 'viewer', '--json'],
      {
        env: { PANOPTES_LEDGER: database.url },
      },
    )
    const { token } = JSON.parse(made.stdout) as { readonly token: string }
    let near = one
    const moves = watch(() => near, token)
    const stays = watch(() => other, token)
    const events = day(7, 3_000)
    let at = 0
    const send = async (hub: Daemon, upTo: number) => {
      for (; at < upTo; at += 100) await post(hub, events.slice(at, at + 100))
    }
    await send(one, 1_000)
    await expect.poll(() => moves.seen()).toBeGreaterThan(500)
    const sending = send(other, 2_500)
    near = other
    await one.kill()
    await sending
    await send(other, 3_000)
    await expect.poll(() => [moves.seen(), stays.seen()], { timeout: 30_000 }).toEqual([3_000, 3_000])
    for (const screen of [moves, stays]) {
      expect(screen.faults()).toEqual([])
      expect(screen.keys()).toEqual(events.map(({ key }) => key))
    }
  })

  it('suggest what to do next, and name a configured bus that does not answer', async () => {
    const hub = await startOn(database.url, { args: ['--bus', 'nats://127.0.0.1:1'] })
    const again = await runCommand(hub.home, ['up', '--no-open'])
    expect(again.stdout).toContain('The bus at 127.0.0.1:1 does not answer')
    expect(again.stdout).toContain(`forward --to ${hub.address} --token-file`)
    expect(again.stdout).toContain('team tokens create')
    expect(again.stdout).not.toContain('POST /events')
    const status = await runCommand(hub.home, ['status'])
    expect(status.stdout).toMatch(/bus +127\.0\.0\.1:1: does not accept events/)
    expect(status.stdout).toMatch(/Until .+, the hub accepts no events.* forwarders keep /)
  })

  it('let clients read a run on any hub, and end it if its hub was killed', async () => {
    const model = await startGated()
    onTestFinished(() => model.close())
    const [first, second] = await Promise.all([newHome(), newHome()])
    await Promise.all([first, second].map((home) => writeChatHome(home, model.url)))
    const [one, other] = await Promise.all([
      startOn(database.url, { home: first }),
      startOn(database.url, { home: second }),
    ])
    const asJson = { 'content-type': 'application/json' }
    const made = await one.request('/api/conversations', { method: 'POST', headers: asJson, body: '{}' })
    const { id } = (await made.json()) as { readonly id: string }
    const body = JSON.stringify({ message: 'count' })
    const asked = await one.request(`/api/conversations/${id}/chat`, {
      method: 'POST',
      headers: asJson,
      body,
    })
    expect(asked.status).toBe(200)
    const there = chatEvents(await other.request(`/api/conversations/${id}/stream`))
    model.allow(20)
    await expect.poll(async () => textOf((await storedEvents(other, id)) ?? [])).toContain('word20')
    await one.kill()
    const events = await there
    expect(events.map(({ data }) => data.seq)).toEqual(events.map((_, n) => n + 1))
    expect(textOf(events)).toBe(COUNTED.slice(0, 20).join(' '))
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
    const kept = (await (await other.request(`/api/conversations/${id}`)).json()) as Conversation
    expect(kept).toMatchObject({ run_id: null })
    expect(kept.messages.at(-1)).toMatchObject({ status: 'partial' })
  })

  it('serve a space that is created while they run, with separate files', async () => {
    const hub = await startOn(database.url)
    const env = { PANOPTES_LEDGER: database.url }
    const added = await runCommand(hub.home, ['team', 'spaces', 'add', 'blue'], { env })
    expect(added).toMatchObject({ code: 0 })
    const made = await runCommand(
      hub.home,
      [
        'team',
        'tokens',
        'create',
        '--label',
        'blue',
        '--scope',
        'full',
        '--space',
        'blue',
        '--role',
        'admin',
        '--json',
      ],
      { env },
    )
    const { token } = JSON.parse(made.stdout) as { readonly token: string }
    const status = async () => {
      const reply = await fetch(`${hub.address}/api/status`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return reply.ok
        ? ((await reply.json()) as { storage: { path: string; events: number } }).storage
        : reply.status
    }
    await expect.poll(status).toMatchObject({ events: 0 })
    await post(hub, day(8, 50))
    expect(await status()).toMatchObject({ events: 0 })
    expect(JSON.stringify(await status())).not.toContain(new URL(database.url).host)
    expect(await readdir(join(hub.home.panoptes, 'spaces'))).toEqual(['blue'])
  })

  it('allow one process per home, and report a second one', async () => {
    const hub = await startOn(database.url)
    const again = await runCommand(hub.home, ['up', '--no-open', '--json', '--ledger', database.url])
    expect(JSON.parse(again.stdout)).toMatchObject({ already_running: true, pid: hub.pid })
    expect(again.stderr).toBe('')
    const elsewhere = await runCommand(hub.home, [
      'up',
      '--no-open',
      '--json',
      '--ledger',
      'postgres://db/other',
    ])
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({
      already_running: true,
      warning: expect.stringContaining('It uses another store. To switch: panoptes stop'),
    })
  })
})

describe('a database outage', () => {
  it('leaves a running hub alive but not ready, and the hub continues by itself afterwards', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const hub = await startOn(server.url)
    const state = async () => [
      (await fetch(`${hub.address}/health`)).status,
      (await fetch(`${hub.address}/ready`)).status,
    ]
    expect(await state()).toEqual([200, 200])
    const screen = watch(() => hub, await hub.token('full'))
    const events = day(9, 400)
    await post(hub, events.slice(0, 200))
    await server.kill()
    await expect.poll(state).toEqual([200, 503])
    const refused = await hub.request('/events', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: JSON.stringify(events[200]),
    })
    expect(refused.status).toBe(503)
    await server.start()
    await expect.poll(state, { timeout: 30_000 }).toEqual([200, 200])
    await post(hub, events.slice(200))
    await expect.poll(() => screen.seen(), { timeout: 30_000 }).toBe(400)
    expect(screen.faults()).toEqual([])
    expect(screen.keys()).toEqual(events.map(({ key }) => key))
  })

  it('is reported by a starting hub and by commands, with what to do and without the password', async () => {
    const home = await newHome()
    const wrong = {
      'postgres://me:geheim@127.0.0.1:1/x': 'does not answer',
      [database.url.replace('panoptes@', 'stranger:geheim@')]: 'stranger',
      [database.url.replace('panoptes@', 'panoptes:geheim@').replace(/[^/]+$/, 'not_there')]: 'not_there',
      'mysql://me:geheim@db/x': 'must be an address such as postgres://',
    }
    for (const [url, said] of Object.entries(wrong))
      for (const args of [['up', '--no-open'], ['export', '-'], ['rebuild'], ['status'], ['doctor']]) {
        const ended = await runCommand(home, args, { env: { PANOPTES_LEDGER: url } })
        if (args[0] !== 'status') {
          expect(ended.code).toBeGreaterThan(0)
          expect(ended.stdout + ended.stderr).toContain(said)
          expect(ended.stdout + ended.stderr).toMatch(/PANOPTES_LEDGER|Correct it/)
        }
        expect(ended.stdout + ended.stderr).not.toContain('geheim')
      }
    const log = await readFile(join(home.panoptes, 'panoptes.log'), 'utf8').catch(() => '')
    expect(log).not.toContain('geheim')
  }, 180_000)
})

describe('settings of a hub', () => {
  it('may be in config.yaml, never show their password, and must name an existing space', async () => {
    const home = await newHome()
    const url = database.url.replace('panoptes@', 'panoptes:geheim@')
    await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
    const write = (team: object) => writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify({ team }))
    await write({ ledger: url, space: 'nowhere' })
    const refused = await runCommand(home, ['up', '--no-open'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('No space is named "nowhere"; available: main')
    await write({ ledger: url })
    const hub = await startDaemon({ home })
    hubs.push(hub)
    const storage = ((await (await hub.request('/api/status')).json()) as { storage: object }).storage
    expect(storage).toMatchObject({ engine: 'postgres', path: expect.stringContaining('space_main') })
    for (const args of [
      ['config'],
      ['config', 'get', 'team.ledger'],
      ['config', 'set', 'team.ledger', url],
    ]) {
      const shown = await runCommand(home, args)
      expect(shown.code).toBe(0)
      expect(shown.stdout + shown.stderr).not.toContain('geheim')
    }
    expect(await readFile(join(home.panoptes, 'panoptes.log'), 'utf8')).not.toContain('geheim')
  })
})

async function chatEvents(reply: Response): Promise<readonly ChatEvent[]> {
  const frames = (await reply.text()).split('\n\n').filter((frame) => frame.includes('data: '))
  return frames.map((frame) => {
    const lines = frame.split('\n')
    const of = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? ''
    return { event: of('event'), data: JSON.parse(of('data')) } as ChatEvent
  })
}

const textOf = (events: readonly ChatEvent[]): string =>
  events.map(({ event, data }) => (event === 'chunk' ? data.delta : '')).join('')

/** The part of an answer that another hub can see by now. */
async function storedEvents(hub: Daemon, id: string): Promise<readonly ChatEvent[] | undefined> {
  const { messages } = (await (await hub.request(`/api/conversations/${id}`)).json()) as Conversation
  const content = messages.at(-1)?.content ?? ''
  return [{ event: 'chunk', data: { delta: content } } as ChatEvent]
}
