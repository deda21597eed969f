import { spawn } from 'node:child_process'
import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, exitOf, ROOT, runCommand, spawnCommand } from './command.ts'
import type { Daemon } from './daemon.ts'
import { type Link, openLink } from './team/breakable-link.ts'
import { type Member, makeMember } from './team/member.ts'
import { type Screen, watchScreen } from './team/stream-watcher.ts'

const SECRET = `ghp_${'a1B2'.repeat(9)}`
const SCRIPT = join(ROOT, 'hooks', 'panoptes-hook.sh')

let database: OwnDatabase
let hub: Member
let computer: Member
let link: Link
let token = ''
const screens: Screen[] = []

beforeEach(async () => {
  database = await ownDatabase()
  hub = await makeMember('hub', ['--ledger', database.url])
  computer = await makeMember('computer')
  link = await openLink(() => {
    const address = hub.daemon()?.address
    return address === undefined ? [] : [address]
  })
  await mkdir(hub.home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(hub.home.panoptes, 'config.yaml'), `team:\n  public_url: ${link.address}\n`)
  await hub.start()
  token = await makeToken('ingest')
})
afterEach(async () => {
  for (const screen of screens.splice(0)) screen.close()
  await Promise.all([hub.kill(), computer.kill()])
  await link.close()
  await database.drop()
  await Promise.all([hub.home.remove(), computer.home.remove()])
})

async function makeToken(scope: string): Promise<string> {
  const args = [
    'team',
    'tokens',
    'create',
    '--label',
    'e2e',
    '--scope',
    scope,
    '--ledger',
    database.url,
    '--json',
  ]
  const { stdout, stderr } = await runCommand(hub.home, args)
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { token: string }).token
}

/** Leaves events like the hook of Claude Code. */
async function hooked(name: string): Promise<void> {
  const child = spawn('sh', [SCRIPT, 'claude-code', computer.home.panoptes], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const payload = { session_id: 's1', hook_event_name: 'PreToolUse', tool_name: 'Read', tool_use_id: name }
  child.stdin.end(JSON.stringify({ ...payload, tool_input: { file_path: name } }))
  await exitOf(child)
}

const lines = (from: number, to: number): Promise<void> =>
  appendFile(
    join(computer.home.panoptes, 'events.jsonl'),
    Array.from({ length: to - from }, (_, n) =>
      JSON.stringify({
        key: `line:${from + n}`,
        event: 'tool_use',
        session_id: 's2',
        id: `c${from + n}`,
        agent_id: 'main',
        tool: 'Read',
        ts: Date.now(),
      }),
    )
      .map((line) => `${line}\n`)
      .join(''),
  )

const running = (member: Member): Daemon => {
  const daemon = member.daemon()
  if (!daemon) throw new Error(`${member.name} is down`)
  return daemon
}

/** Every key in log order, without judgements, which both sides make. */
async function keysOf(member: Member): Promise<readonly string[]> {
  const text = await (await running(member).request('/api/export')).text()
  return text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { key: string }).key]))
    .filter((key) => !key.startsWith('judge:'))
}

async function readForwardState(): Promise<string | undefined> {
  const { forward } = (await (await running(computer).request('/api/status')).json()) as {
    forward?: { state: string }
  }
  return forward?.state
}
const settled = () => expect.poll(readForwardState, { timeout: 60_000, interval: 200 }).toBe('idle')

describe('a computer that forwards to a hub', () => {
  it('loses and duplicates nothing while the hub is down, the forwarder is killed and the connection is cut', async () => {
    const viewer = await makeToken('full')
    screens.push(watchScreen(() => link.address, viewer))
    // The first start uses the command that a person would type.
    const file = join(computer.home.folder, 'token')
    await writeFile(file, `${token}\n`)
    const args = ['forward', '--to', link.address, '--token-file', file, '--port', '0', '--json']
    const child = spawnCommand(computer.home, args)
    const said = collect(child, 'stdout')
    const exit = exitOf(child)
    await expect.poll(said, { timeout: 60_000 }).toContain('"address"')
    await hooked('first')
    await lines(0, 500)
    await expect.poll(async () => (await keysOf(hub)).length, { timeout: 60_000 }).toBeGreaterThan(400)
    child.kill('SIGKILL')
    await exit

    // Every later start reads its settings from the home.
    await hub.kill()
    await computer.start()
    for (let n = 0; n < 5; n += 1) await hooked(`down-${n}`)
    await lines(500, 3_000)
    await expect
      .poll(async () => (await (await running(computer).request('/api/status')).json()) as object, {
        timeout: 60_000,
      })
      .toMatchObject({ forward: { state: 'failing' }, storage: { events: 3_006 } })
    await computer.kill()
    await computer.start()
    await hub.start()
    for (let cut = 0; cut < 6; cut += 1) {
      const before = (await keysOf(hub)).length
      await lines(3_000 + cut * 300, 3_150 + cut * 300)
      await expect.poll(async () => (await keysOf(hub)).length, { timeout: 60_000 }).toBeGreaterThan(before)
      await lines(3_150 + cut * 300, 3_300 + cut * 300)
      link.cut()
    }
    link.set(false)
    await hooked('cut')
    await expect.poll(readForwardState, { timeout: 60_000 }).toBe('failing')
    await computer.kill()
    await lines(4_800, 5_000)
    await computer.start()
    link.set(true)
    await expect
      .poll(async () => (await keysOf(computer)).length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(5_007)
    await settled()

    const sent = await keysOf(computer)
    await expect.poll(() => keysOf(hub), { timeout: 60_000 }).toEqual(sent)
    expect(new Set(sent).size).toBe(sent.length)
    expect(sent.filter((key) => key.startsWith('line:'))).toEqual(
      Array.from({ length: 5_000 }, (_, n) => `line:${n}`),
    )
    const [screen] = screens
    await expect
      .poll(() => screen?.keys().filter((key) => !key.startsWith('judge:')), { timeout: 30_000 })
      .toEqual(sent)
    expect(screen?.faults()).toEqual([])
  }, 240_000)

  it('reports that its token was revoked, keeps everything, and continues with another one', async () => {
    const set = await forwardTo(token)
    expect(set.code).toBe(0)
    await computer.start()
    await lines(0, 10)
    await expect.poll(() => keysOf(hub), { timeout: 60_000 }).toHaveLength(10)
    const revoked = await runCommand(hub.home, [
      ...['team', 'tokens', 'revoke', token.slice(0, 10)],
      ...['--ledger', database.url, '--json'],
    ])
    expect(revoked.code).toBe(0)
    // A hub caches identities for a second, so only later requests are refused.
    let told = 10
    await expect
      .poll(
        async () => {
          await lines(told, told + 1)
          told += 1
          return (await running(computer).request('/api/status')).json()
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toMatchObject({ forward: { state: 'failing', problem: { kind: 'token' } } })
    const again = await forwardTo(await makeToken('ingest'))
    expect(again.stdout).toContain(`sends to ${link.address}: `)
    await settled()
    await expect.poll(() => keysOf(hub)).toEqual(Array.from({ length: told }, (_, n) => `line:${n}`))
  }, 180_000)

  it('sends whole sessions on request, and the hub shows them while the computer is off', async () => {
    const projects = join(computer.home.folder, '.claude', 'projects')
    await mkdir(join(computer.home.folder, '.claude'), { recursive: true })
    await cp(join(ROOT, 'fixtures', 'claude-code', 'transcripts'), projects, { recursive: true })
    const notes = join(projects, '-home-dev-printer')
    await mkdir(notes)
    const row = { type: 'user', uuid: 'u1', timestamp: new Date().toISOString() }
    const message = { role: 'user', content: `the key of the printer is ${SECRET}` }
    await writeFile(join(notes, 'printer.jsonl'), `${JSON.stringify({ ...row, message })}\n`)
    const set = await forwardTo(token, '--what', 'transcripts')
    expect(set.code).toBe(0)
    await computer.start()
    const listed = async (member: Member) => {
      const reply = await running(member).request('/api/past/sessions?limit=200')
      const sessions = (await reply.json()) as readonly { id: string; source: string }[]
      return sessions.map(({ source, id }) => `${source}/${id}`).sort()
    }
    const both = async () => {
      const [here, there] = [await listed(computer), await listed(hub)]
      return here.length > 0 && here.join() === there.join()
    }
    await expect.poll(both, { timeout: 120_000, interval: 500 }).toBe(true)
    const own = await listed(computer)
    await computer.kill()
    expect(await listed(hub)).toEqual(own)
    const said = await Promise.all(
      own.map(async (name) => (await running(hub).request(`/api/past/sessions/${name}`)).text()),
    )
    expect(said.join()).toContain('the key of the printer is')
    expect(said.join()).not.toContain(SECRET)
  }, 240_000)
})

async function forwardTo(secret: string, ...more: readonly string[]) {
  const file = join(computer.home.folder, 'token')
  await writeFile(file, `${secret}\n`)
  const running = computer.daemon() !== undefined
  const args = ['forward', '--to', link.address, '--token-file', file, ...more]
  if (running) return runCommand(computer.home, args)
  // The service is only written, not started.
  return runCommand(computer.home, [...args, '--service'], {
    env: { PATH: await withoutManager() },
  })
}

/** A service manager that does nothing. */
async function withoutManager(): Promise<string> {
  const bin = join(computer.home.folder, 'bin')
  await mkdir(bin, { recursive: true })
  for (const name of ['systemctl', 'launchctl'])
    await writeFile(join(bin, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  return `${bin}:/nonexistent`
}
