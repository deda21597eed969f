import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHome, resolvePaths, writeDaemonFile } from '@panoptes/engine/home'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import { check, type HealthCheck, healthReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diagnose, type Patient, portHolder } from './index.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-doctor-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const paths = () => resolvePaths({ PANOPTES_HOME: join(folder, 'home') })

const UNCONNECTED = {
  connected: [],
  unconnected: ['claude-code'],
  problems: [],
  script: 'absent',
  scriptRuns: false,
} as const

async function examine(change: Partial<Patient> = {}): Promise<(id: string) => HealthCheck | undefined> {
  const checks = await diagnose({
    paths: paths(),
    // npm would leave its compiled code in the temporary folder.
    env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1' },
    version: '0.1.0',
    ledger: null,
    sources: async () => [],
    hooks: async () => UNCONNECTED,
    page: async () => ({ folder: '/page', problem: null }),
    browser: { opens: false, detail: 'There is no display' },
    ...change,
  })
  expect(check(healthReply, { checked_at: 1, checks }).ok).toBe(true)
  for (const { state, cause, next } of checks) {
    expect(state === 'ok' ? [cause, next] : [typeof cause, typeof next]).toEqual(
      state === 'ok' ? [null, null] : ['string', 'string'],
    )
  }
  return (id) => checks.find((one) => one.id === id)
}

/** A port with a listener of this process on it. */
async function taken(): Promise<{ port: number; free: () => void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, free: () => void server.close() }
}

describe('doctor', () => {
  it('finds nothing wrong before the first start, and makes nothing', async () => {
    const found = await examine()
    for (const id of ['node', 'home', 'disk', 'config', 'lock', 'ledger', 'tokens', 'daemon', 'clock']) {
      expect(found(id)).toMatchObject({ state: 'ok' })
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('says why the home cannot be made', async () => {
    await writeFile(join(folder, 'home'), '')
    const found = await examine({ paths: resolvePaths({ PANOPTES_HOME: join(folder, 'home', 'below') }) })
    expect(found('home')).toMatchObject({
      state: 'failed',
      cause: expect.stringContaining('something that is not a folder is in its place'),
      next: expect.stringContaining('PANOPTES_HOME'),
    })
  })

  it('names the line of a mistake in the settings', async () => {
    await createHome(paths())
    await writeFile(paths().config, 'server:\n  port: many\n')
    expect((await examine())('config')).toMatchObject({
      state: 'failed',
      cause: `${paths().config}:2:9: server.port must be a whole number`,
    })
  })

  it('sees a home and tokens that others can read', async () => {
    await createHome(paths())
    await chmod(paths().home, 0o755)
    await mkdir(paths().tokens)
    await writeFile(join(paths().tokens, 'full'), `pn_full_${'x'.repeat(43)}`, { mode: 0o644 })
    const found = await examine()
    expect(found('home')).toMatchObject({ state: 'warning', next: expect.stringContaining('chmod 700') })
    expect(found('tokens')).toMatchObject({ state: 'failed', detail: 'full has mode 0644' })
  })

  it('names a token file that holds none, and shows nothing of it', async () => {
    await createHome(paths())
    await mkdir(paths().tokens)
    await writeFile(join(paths().tokens, 'full'), 'junk-of-mine', { mode: 0o600 })
    const found = (await examine())('tokens')
    expect(found).toMatchObject({ state: 'failed', detail: join(paths().tokens, 'full') })
    expect(JSON.stringify(found)).not.toContain('junk-of-mine')
  })

  it('advises an update for a ledger of a newer version, not a backup', async () => {
    await createHome(paths())
    const opened = await openSqliteLedger(paths().ledger)
    if (opened.ok) await opened.value.close()
    const file = new DatabaseSync(paths().ledger)
    file.exec('PRAGMA user_version = 999')
    file.close()
    const found = (await examine())('ledger')
    expect(found).toMatchObject({ state: 'failed', cause: expect.stringContaining('newer') })
    expect(found?.next).toContain('Update Panoptes')
    expect(found?.next).not.toContain('backup')
  })

  it('names who holds the port', async () => {
    const { port, free } = await taken()
    await createHome(paths())
    await writeFile(paths().config, `server: {port: ${port}}\n`)
    expect((await examine())('port')).toMatchObject({
      state: 'failed',
      cause: expect.stringContaining(`process ${process.pid}`),
    })
    expect(await portHolder(port)).toMatchObject({ pid: process.pid, name: expect.stringContaining('node') })
    free()
  })

  it('says of a ledger that does not answer whether its file or the database of a hub is meant', async () => {
    await createHome(paths())
    const opened = await openSqliteLedger(paths().ledger)
    if (!opened.ok) throw new Error(opened.message)
    const ledger = opened.value
    await ledger.close()
    const place = { kind: 'postgres', url: 'postgres://db/team', space: 'main' } as const
    expect((await examine({ ledger }))('ledger')).toMatchObject({ next: 'Start Panoptes again.' })
    expect((await examine({ ledger, place }))('ledger')).toMatchObject({
      state: 'failed',
      detail: 'The database of this hub is away',
      next: expect.stringContaining('panoptes doctor --team'),
    })
  })

  it('opens and checks a ledger, and says what is wrong with one that is none', async () => {
    await createHome(paths())
    const opened = await openSqliteLedger(paths().ledger)
    if (!opened.ok) throw new Error(opened.message)
    const held = await examine()
    expect(held('ledger')).toMatchObject({ state: 'warning', cause: 'Another Panoptes has it open' })
    expect(held('lock')?.detail).toBe('Held by this process')
    expect((await examine({ ledger: opened.value }))('ledger')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('0 events'),
    })
    await opened.value.close()
    const free = await examine()
    expect(free('ledger')).toMatchObject({ state: 'ok', detail: expect.stringContaining('file intact') })
    expect(free('lock')?.detail).toBe('Free')
    await writeFile(paths().ledger, 'no ledger at all '.repeat(1000))
    expect((await examine())('ledger')).toMatchObject({
      state: 'failed',
      cause: expect.stringContaining(paths().ledger),
    })
  })

  it('tells a daemon that died from one that hangs', async () => {
    await createHome(paths())
    const info = { port: 1, address: 'http://127.0.0.1:1', version: '0.1.0', started_at: 1 }
    await writeDaemonFile(paths(), { ...info, pid: 2 ** 22 + 1 })
    expect((await examine())('daemon')).toMatchObject({ state: 'warning', detail: 'None runs' })
    await writeDaemonFile(paths(), { ...info, pid: process.pid })
    expect((await examine())('daemon')).toMatchObject({ state: 'failed' })
  })

  it('shows which variables are set and no value that may be a secret', async () => {
    const found = await examine({
      env: { HTTPS_PROXY: 'http://me:pass-word@proxy', KEI_GRAPH_STREAM_BYPASS: '1', PANOPTES_HOME: '/x' },
    })
    expect(found('environment')).toMatchObject({ state: 'warning', cause: expect.stringContaining('BYPASS') })
    expect(found('environment')?.detail).toBe('PANOPTES_HOME=/x, HTTPS_PROXY is set')
  })

  it('names an agent that is here and not connected, and the command that connects it', async () => {
    const agent = { id: 'claude-code', name: 'Claude Code', kind: 'agent', path: '/c' } as const
    const sources = async () => [{ ...agent, state: 'found', detail: '3 session files', next: null } as const]
    expect((await examine({ sources }))('hooks')).toMatchObject({
      state: 'warning',
      cause: 'Claude Code has no hooks: Live shows it a second late, and not that it waits for you',
      next: 'Connect it with: panoptes hooks install claude-code',
    })
    const connected = { ...UNCONNECTED, connected: ['claude-code'], unconnected: [], scriptRuns: true }
    const hooks = async () => ({ ...connected, script: 'current' as const })
    expect((await examine({ sources, hooks }))('hooks')).toMatchObject({ detail: 'Connected: Claude Code' })
    const outdated = async () => ({ ...connected, script: 'older' as const })
    expect((await examine({ sources, hooks: outdated }))('hooks')).toMatchObject({
      state: 'warning',
      cause: 'The script that hooks run is older than this program',
      next: expect.stringContaining('panoptes up'),
    })
  })

  it('keeps on when one check breaks', async () => {
    const found = await examine({
      sources: () => Promise.reject(new Error('boom')),
      page: async () => ({ folder: null, problem: 'vite is not installed' }),
    })
    expect(found('sources')).toMatchObject({ state: 'failed', cause: 'boom' })
    expect(found('page')).toMatchObject({ state: 'warning', cause: 'vite is not installed' })
    expect(found('clock')).toMatchObject({ state: 'ok' })
  })
})
