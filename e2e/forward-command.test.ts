import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, exitOf, makeHome, runCommand, spawnCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

let home: TestHome
let hub: Daemon
const daemons: Daemon[] = []

beforeEach(async () => {
  home = await makeHome()
  hub = await startDaemon()
})
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.stop()
  await hub.stop()
  await home.remove()
})

const forward = (args: readonly string[], input?: string) =>
  runCommand(home, ['forward', ...args], input === undefined ? {} : { input })
const tokenFile = (scope: string) => join(hub.home.panoptes, 'tokens', scope)
const config = () => readFile(join(home.panoptes, 'config.yaml'), 'utf8')
const kept = () => join(home.panoptes, 'tokens', 'forward')

const post = async (daemon: Daemon, ...names: string[]) => {
  const lines = names.map((key) =>
    JSON.stringify({ key, event: 'prompt', session_id: 's1', prompt_preview: key }),
  )
  const reply = await daemon.request('/events', { method: 'POST', body: lines.join('\n') })
  expect(reply.status).toBe(200)
}
const keysOn = async (daemon: Daemon): Promise<readonly string[]> => {
  const text = await (await daemon.request('/api/export')).text()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { key: string }).key]))
}
const arrived = (keys: readonly string[]) =>
  expect.poll(() => keysOn(hub), { timeout: 30_000, interval: 100 }).toEqual(keys)

describe('panoptes forward', { timeout: 120_000 }, () => {
  it('explains exactly what is wrong with the hub or the token, and changes nothing', async () => {
    const nowhere = await forward([])
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('No hub is set')])
    const odd = await forward(['--to', 'ftp://hub.example'])
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining('must be an address')])
    const named = await forward(['--to', 'https://me:secret@hub.example'])
    expect([named.code, named.stderr]).toEqual([2, expect.not.stringContaining('secret')])
    const none = await forward(['--to', hub.address])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no token for the hub yet')])
    const wrong = await forward(['--to', hub.address, '--token-file', '-'], 'pan_wrong\n')
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('does not accept the token')])
    const other = await forward(['--to', hub.address, '--token-file', tokenFile('gateway')])
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('may not send events')])
    const away = await forward(['--to', 'http://127.0.0.1:1', '--token-file', tokenFile('ingest')])
    expect(away.code).toBe(1)
    expect(away.stderr).toContain('--no-check')
    await expect(stat(kept())).rejects.toThrow('ENOENT')
    await expect(config()).rejects.toThrow('ENOENT')
  })

  it('starts Panoptes without a browser, sends events, and stores the token readable only for its owner', async () => {
    const token = (await hub.token('ingest')).trim()
    const args = ['forward', '--to', `${hub.address}/`, '--port', '0', '--what', 'metadata', '--json']
    const child = spawnCommand(home, args, { env: { PANOPTES_FORWARD_TOKEN: token } })
    const said = collect(child, 'stdout')
    const exit = exitOf(child)
    await expect.poll(said, { timeout: 30_000 }).toContain('"address"')
    const edge = await daemonOf(JSON.parse(said()) as { address: string })
    await post(edge, 'a', 'b')
    await arrived(['a', 'b'])
    expect((await stat(kept())).mode & 0o777).toBe(0o600)
    expect(await config()).not.toContain(token)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  it('configures a running one, optionally from the first event, and shows its progress', async () => {
    const edge = await startDaemon({ home })
    daemons.push(edge)
    await post(edge, 'a', 'b')
    const set = await forward(['--to', hub.address, '--token-file', tokenFile('ingest')])
    expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining(`sends to ${hub.address}`) })
    await post(edge, 'c')
    await arrived(['c'])
    expect(await forward(['--from-start'])).toMatchObject({ code: 0 })
    await arrived(['c', 'a', 'b'])
    await expect
      .poll(async () => (await runCommand(home, ['status'])).stdout)
      .toMatch(
        new RegExp(`forwards to +${hub.address} \\(metadata\\): nothing is waiting\\n +sent +3 events in `),
      )
    const { stdout } = await runCommand(home, ['status', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      config_changed: false,
      forward: { state: 'idle', waiting: { events: 0 }, sent: { events: 3 }, lost: 0, problem: null },
    })
    const metrics = await (await edge.request('/metrics')).text()
    expect(metrics).toContain('# TYPE panoptes_forward_events_total counter')
    const doctor = await runCommand(home, ['doctor', '--json'])
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ id: 'forward', state: 'ok' })]),
    })
    expect(await forward(['--off'])).toMatchObject({ code: 0 })
    await post(edge, 'd')
    // An event that is forwarded arrives sooner.
    await sleep(300)
    expect(await keysOn(hub)).toEqual(['c', 'a', 'b'])
  })

  it('makes status and doctor report since when the hub is unreachable', async () => {
    await forward(['--to', hub.address, '--token-file', tokenFile('ingest'), '--off'])
    const edge = await startDaemon({ home })
    daemons.push(edge)
    const set = await forward([
      '--to',
      'http://127.0.0.1:1',
      '--token-file',
      tokenFile('ingest'),
      '--no-check',
    ])
    expect(set.code).toBe(0)
    await post(edge, 'a')
    await expect
      .poll(async () => (await runCommand(home, ['status'])).stdout)
      .toMatch(/1 event is waiting, about .*\n(.*\n)*! /)
    const doctor = await runCommand(home, ['doctor', '--json'])
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({
          id: 'forward',
          state: 'warning',
          detail: expect.stringContaining('1 event is waiting'),
        }),
      ]),
    })
  })

  it('is installed as a service that finds its settings in the home', async () => {
    const bin = join(home.folder, 'bin')
    await mkdir(bin)
    const program = join(bin, process.platform === 'darwin' ? 'launchctl' : 'systemctl')
    await writeFile(program, `#!/bin/sh\necho "$@" >> '${home.folder}/told'\n`)
    await chmod(program, 0o755)
    const args = ['forward', '--to', hub.address, '--token-file', tokenFile('ingest'), '--service']
    const { code, stdout } = await runCommand(home, args, { env: { PATH: `${bin}:/nonexistent` } })
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('The service is running and starts at every sign-in'),
    ])
    expect(await readFile(join(home.folder, 'told'), 'utf8')).toMatch(/enable --now|bootstrap/)
    expect(await config()).toContain(`to: ${hub.address}`)
  })

  it('reports that nothing is sent while Panoptes is stopped', async () => {
    await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
    await writeFile(join(home.panoptes, 'config.yaml'), `forward:\n  to: ${hub.address}\n`)
    const { stdout } = await runCommand(home, ['doctor', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ id: 'forward', state: 'warning', cause: 'Panoptes is not running here.' }),
      ]),
    })
  })

  it('is refused in the home of a hub', async () => {
    const refused = await runCommand(home, ['forward', '--to', hub.address], {
      env: { PANOPTES_LEDGER: 'postgres://nobody@127.0.0.1:1/none' },
    })
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('This home is a hub')])
  })
})

/** A daemon that another command started. */
async function daemonOf({ address }: { readonly address: string }): Promise<Daemon> {
  const token = (await readFile(join(home.panoptes, 'tokens', 'full'), 'utf8')).trim()
  return {
    ...hub,
    address,
    request: (path, init = {}) =>
      fetch(`${address}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } }),
  }
}
