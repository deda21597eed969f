import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHome, resolvePaths, writeDaemonFile } from '@panoptes/engine/home'
import { openSessions } from '@panoptes/engine/sessions'
import { openSqliteStore } from '@panoptes/engine/store'
import { check, type FoundSource, type HealthCheck, healthReply, type NewEvent } from '@panoptes/schema'
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
  installed: [],
  unconnected: ['claude-code'],
  problems: [],
  script: 'absent',
  scriptRuns: false,
} as const

async function examine(change: Partial<Patient> = {}): Promise<(id: string) => HealthCheck | undefined> {
  const checks = await diagnose({
    paths: paths(),
    // Otherwise npm would leave its compiled code in the temporary folder.
    env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1' },
    version: '0.1.0',
    store: null,
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

/** Opens a listener of this process on a free port. */
async function taken(): Promise<{ port: number; free: () => void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { port: typeof address === 'object' && address ? address.port : 0, free: () => void server.close() }
}

describe('the check of past sessions', () => {
  const agent = (more: Partial<FoundSource>): FoundSource => ({
    ...{ id: 'claude-code', name: 'Claude Code', kind: 'agent', state: 'found' },
    ...{ path: '/c', detail: '', next: null, retention: { kind: 'days', days: 30 } },
    ...more,
  })
  const checkAgents = async (...sources: readonly Partial<FoundSource>[]) =>
    (await examine({ sources: async () => sources.map(agent) }))('archive')
  const saved = (sessions: number, deleted: number, prompts_only = 0) =>
    ({ state: 'saved', sessions, deleted, prompts_only }) as const

  it.each([
    [
      { saved: saved(214, 12) },
      'Claude Code deletes sessions after 30 days. Panoptes has saved 214 sessions, 12 of which Claude Code has deleted.',
    ],
    [
      { saved: saved(1, 1) },
      'Claude Code deletes sessions after 30 days. Panoptes has saved 1 session, which Claude Code has deleted.',
    ],
    [
      { saved: saved(3, 3) },
      'Claude Code deletes sessions after 30 days. Panoptes has saved 3 sessions, all of which Claude Code has deleted.',
    ],
    [
      { saved: saved(0, 0) },
      'Claude Code deletes sessions after 30 days. Panoptes has saved no sessions yet.',
    ],
    [
      { retention: { kind: 'days', days: 1 }, saved: saved(2, 0, 1) },
      'Claude Code deletes sessions after 1 day. Panoptes has saved 2 sessions. Of 1 further session, only your prompts are left.',
    ],
    [
      { name: 'Codex', retention: { kind: 'unlimited' }, saved: saved(5, 0) },
      'Codex keeps sessions until you delete them. Panoptes has saved 5 sessions.',
    ],
    [{ retention: { kind: 'unknown', reason: null } }, 'How long Claude Code keeps sessions is unknown.'],
    [
      { saved: { state: 'reading', done: 0, total: 0 } },
      'Claude Code deletes sessions after 30 days. Panoptes is reading its sessions.',
    ],
    [
      { saved: { state: 'reading', done: 120, total: 4_000 } },
      'Claude Code deletes sessions after 30 days. Panoptes is reading its sessions: 120 of 4,000.',
    ],
    [
      { saved: { state: 'paused' } },
      'Claude Code deletes sessions after 30 days. Reading is paused, so Panoptes does not save its new sessions.',
    ],
    [
      { saved: { state: 'failed', problem: 'The disk is full.' } },
      'Claude Code deletes sessions after 30 days. Panoptes could not read its sessions: The disk is full.',
    ],
    [
      { saved: { state: 'off', sessions: 0 } },
      'Claude Code deletes sessions after 30 days. Panoptes saves no sessions, because archive.enabled is false. To save them, set archive.enabled to true in config.yaml and restart Panoptes.',
    ],
    [
      { saved: { state: 'off', sessions: 2 } },
      expect.stringContaining('2 sessions that it saved before stay.'),
    ],
  ] satisfies readonly (readonly [Partial<FoundSource>, string])[])(
    'says %j in words',
    async (source, detail) => {
      const found = await checkAgents(source)
      expect([found?.state, found?.detail.split('\n')[0]]).toEqual(['ok', detail])
    },
  )

  it('has a line for each agent, and warns about a setting that is not valid', async () => {
    const reason = 'cleanupPeriodDays in /c/settings.json is 0.'
    const warned = await checkAgents(
      { retention: { kind: 'unknown', reason } },
      { name: 'Codex', retention: { kind: 'unlimited' } },
    )
    expect(warned).toMatchObject({ state: 'warning', cause: reason })
    expect(warned?.detail.split('\n')).toEqual([
      'How long Claude Code keeps sessions is unknown.',
      'Codex keeps sessions until you delete them.',
      'Original files are not kept (archive.originals).',
    ])
    const none = await checkAgents()
    expect(none).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^No agent with sessions was found\n/),
    })
  })

  it('says what the saved sessions and their original files take', async () => {
    const claude = join(folder, 'claude')
    const row = { type: 'user', uuid: 'u', message: { role: 'user', content: 'hi' } }
    await mkdir(join(claude, 'projects', '-a'), { recursive: true })
    await writeFile(join(claude, 'projects', '-a', 'one.jsonl'), `${JSON.stringify(row)}\n`)
    const opened = await openSessions({
      file: paths().history,
      originals: paths().originals,
      archive: { enabled: true, originals: true, exclude: [], keep_days: null, max_size_mb: null },
      env: { HOME: folder, CLAUDE_CONFIG_DIR: claude },
    })
    if (!opened.ok) throw new Error(opened.message)
    await opened.value.refresh()
    await opened.value.close()
    expect((await checkAgents({}))?.detail.split('\n').slice(1)).toEqual([
      'Saved sessions take 0.0 MB.',
      'Original files of 1 session, 0.0 MB.',
    ])
    await chmod(paths().originals, 0o755)
    expect(await checkAgents({})).toMatchObject({
      state: 'failed',
      next: `Run: chmod 700 ${paths().originals}`,
    })
  })

  it('fails if the saved sessions cannot be read', async () => {
    await createHome(paths())
    await writeFile(paths().history, 'not a database, and longer than the header of one'.repeat(20))
    expect(await checkAgents({})).toMatchObject({ state: 'failed', detail: paths().history })
  })
})

describe('doctor', () => {
  it('finds no problem before the first start and creates nothing', async () => {
    const found = await examine()
    for (const id of ['node', 'home', 'disk', 'config', 'lock', 'ledger', 'tokens', 'daemon', 'clock']) {
      expect(found(id)).toMatchObject({ state: 'ok' })
    }
    expect([found('lock')?.title, found('ledger')?.title]).toEqual(['Store lock', 'Store'])
    expect(await readdir(folder)).toEqual([])
  })

  it('explains why the home cannot be created', async () => {
    await writeFile(join(folder, 'home'), '')
    const found = await examine({ paths: resolvePaths({ PANOPTES_HOME: join(folder, 'home', 'below') }) })
    expect(found('home')).toMatchObject({
      state: 'failed',
      cause: expect.stringContaining('something that is not a folder is in its place'),
      next: expect.stringContaining('PANOPTES_HOME'),
    })
  })

  it('fails when a folder or a pipe stands where Panoptes needs a file', async () => {
    await createHome(paths())
    const { daemon, log, store } = paths()
    const next = expect.stringContaining('Move it away')
    const home = async () => (await examine())('home')
    for (const file of [daemon, log, `${store}.lock`]) {
      await mkdir(file)
      const cause = 'It is a folder, so Panoptes cannot start'
      expect(await home()).toMatchObject({ state: 'failed', detail: file, cause, next })
      await rm(file, { recursive: true })
      execFileSync('mkfifo', [file])
      // Panoptes replaces a pipe at daemon.json like any older file.
      const pipe = { state: 'failed', detail: file, cause: expect.stringContaining('a pipe (FIFO)') }
      expect(await home()).toMatchObject(file === daemon ? { state: 'ok' } : pipe)
      await rm(file)
    }
    expect(await home()).toMatchObject({ state: 'ok' })
  })

  it('names the line of a mistake in the settings', async () => {
    await createHome(paths())
    await writeFile(paths().config, 'server:\n  port: many\n')
    expect((await examine())('config')).toMatchObject({
      state: 'failed',
      cause: `${paths().config}:2:9: server.port must be a whole number`,
    })
  })

  it('notices a home and tokens that others can read', async () => {
    await createHome(paths())
    await chmod(paths().home, 0o755)
    await mkdir(paths().tokens)
    await writeFile(join(paths().tokens, 'full'), `pn_full_${'x'.repeat(43)}`, { mode: 0o644 })
    const found = await examine()
    expect(found('home')).toMatchObject({ state: 'warning', next: expect.stringContaining('chmod 700') })
    expect(found('tokens')).toMatchObject({ state: 'failed', detail: 'full has mode 0644' })
  })

  it('names a broken token file and shows none of its content', async () => {
    await createHome(paths())
    await mkdir(paths().tokens)
    await writeFile(join(paths().tokens, 'full'), 'junk-of-mine', { mode: 0o600 })
    const found = (await examine())('tokens')
    expect(found).toMatchObject({ state: 'failed', detail: join(paths().tokens, 'full') })
    expect(JSON.stringify(found)).not.toContain('junk-of-mine')
  })

  it('advises an update, not a backup, for a store of a newer version', async () => {
    await createHome(paths())
    const opened = await openSqliteStore(paths().store)
    if (opened.ok) await opened.value.close()
    const file = new DatabaseSync(paths().store)
    file.exec('PRAGMA user_version = 999')
    file.close()
    const found = (await examine())('ledger')
    expect(found).toMatchObject({ state: 'failed', cause: expect.stringContaining('newer') })
    expect(found?.next).toContain('Update Panoptes')
    expect(found?.next).not.toContain('backup')
  })

  it('names the process that holds the port', async () => {
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

  it('says whether the file or the hub database is meant when the store does not answer', async () => {
    await createHome(paths())
    const opened = await openSqliteStore(paths().store)
    if (!opened.ok) throw new Error(opened.message)
    const store = opened.value
    await store.close()
    const place = { kind: 'postgres', url: 'postgres://db/team', space: 'main' } as const
    expect((await examine({ store }))('ledger')).toMatchObject({ next: 'Restart Panoptes.' })
    expect((await examine({ store, place }))('ledger')).toMatchObject({
      state: 'failed',
      detail: 'The database of this hub is unavailable',
      next: expect.stringContaining('panoptes doctor --team'),
    })
  })

  it('opens and checks a store, and explains what is wrong with a foreign file', async () => {
    await createHome(paths())
    const opened = await openSqliteStore(paths().store)
    if (!opened.ok) throw new Error(opened.message)
    const held = await examine()
    expect(held('ledger')).toMatchObject({ state: 'warning', cause: 'Another Panoptes is using it' })
    expect(held('lock')?.detail).toBe('Held by this process')
    expect((await examine({ store: opened.value }))('ledger')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('0 events'),
    })
    await opened.value.close()
    const free = await examine()
    expect(free('ledger')).toMatchObject({ state: 'ok', detail: expect.stringContaining('file intact') })
    expect(free('lock')?.detail).toBe('Free')
    await writeFile(paths().store, 'no store at all '.repeat(1000))
    expect((await examine())('ledger')).toMatchObject({
      state: 'failed',
      cause: expect.stringContaining(paths().store),
    })
  })

  it('gives the same verdict on a damaged store whether another process, this one or nobody has it open', async () => {
    await createHome(paths())
    const opened = await openSqliteStore(paths().store)
    if (!opened.ok) throw new Error(opened.message)
    const events = Array.from({ length: 500 }, (_, at) => ({
      ...{ v: 1, key: `k${at}`, ts: at, event: 'prompt', source: 'custom', host: 'h', session_id: 's' },
      prompt_preview: 'words '.repeat(50),
    }))
    expect((await opened.value.append(events as NewEvent[])).ok).toBe(true)
    await opened.value.close()
    const bytes = await readFile(paths().store)
    await writeFile(paths().store, bytes.fill(0, 100 * 4_096, 110 * 4_096))
    const stopped = (await examine())('ledger')
    const running = await openSqliteStore(paths().store)
    if (!running.ok) throw new Error(running.message)
    const found = [(await examine())('ledger'), (await examine({ store: running.value }))('ledger')]
    await running.value.close()
    expect(stopped).toMatchObject({
      state: 'failed',
      detail: 'The store is damaged',
      next: expect.stringContaining('panoptes rescue FILE'),
    })
    expect(found).toEqual([stopped, stopped])
  })

  it('counts events, not their numbers', async () => {
    await createHome(paths())
    const opened = await openSqliteStore(paths().store)
    if (!opened.ok) throw new Error(opened.message)
    const events = Array.from({ length: 50 }, (_, at) => ({
      ...{ v: 1, key: `k${at}`, ts: at, event: 'prompt', source: 'custom', host: 'h' },
      session_id: `s${at % 5}`,
    }))
    expect((await opened.value.append(events as NewEvent[])).ok).toBe(true)
    for (const step of ['begin', 'remove', 'end'] as const)
      expect(await opened.value.forgetting[step]([{ source: 'custom', id: 's1' }])).toMatchObject({
        ok: true,
      })
    await opened.value.close()
    expect((await examine())('ledger')?.detail).toContain(', 40 events,')
  })

  it('distinguishes a dead daemon from a hanging one', async () => {
    await createHome(paths())
    const info = { port: 1, address: 'http://127.0.0.1:1', version: '0.1.0', started_at: 1 }
    await writeDaemonFile(paths(), { ...info, pid: 2 ** 22 + 1 })
    expect((await examine())('daemon')).toMatchObject({ state: 'warning', detail: 'Not running' })
    await writeDaemonFile(paths(), { ...info, pid: process.pid })
    expect((await examine())('daemon')).toMatchObject({ state: 'failed' })
  })

  it('shows which variables are set without values that may be secret', async () => {
    const found = await examine({
      env: { HTTPS_PROXY: 'http://me:pass-word@proxy', KEI_GRAPH_STREAM_BYPASS: '1', PANOPTES_HOME: '/x' },
    })
    expect(found('environment')).toMatchObject({ state: 'warning', cause: expect.stringContaining('BYPASS') })
    expect(found('environment')?.detail).toBe('PANOPTES_HOME=/x, HTTPS_PROXY is set')
  })

  it('names an unconnected agent and the command that connects it', async () => {
    const agent = { id: 'claude-code', name: 'Claude Code', kind: 'agent', path: '/c' } as const
    const sources = async () => [{ ...agent, state: 'found', detail: '3 session files', next: null } as const]
    expect((await examine({ sources }))('hooks')).toMatchObject({
      state: 'warning',
      cause: 'Claude Code has no hooks: Live lags by a second and cannot show when it waits for you',
      next: 'Connect it with: panoptes hooks install claude-code',
    })
    const connected = { ...UNCONNECTED, connected: ['claude-code'], unconnected: [], scriptRuns: true }
    const hooks = async () => ({ ...connected, script: 'current' as const })
    expect((await examine({ sources, hooks }))('hooks')).toMatchObject({
      detail: 'Claude Code: connected',
    })
    const silent = async () => ({
      ...connected,
      connected: [],
      installed: ['claude-code'],
      script: 'current' as const,
    })
    expect((await examine({ sources, hooks: silent }))('hooks')).toMatchObject({
      detail: 'Claude Code: installed, nothing heard yet',
    })
    const outdated = async () => ({ ...connected, script: 'older' as const })
    expect((await examine({ sources, hooks: outdated }))('hooks')).toMatchObject({
      state: 'warning',
      cause: 'The hook script is outdated',
      next: expect.stringContaining('panoptes up'),
    })
  })

  it('continues when one check throws', async () => {
    const found = await examine({
      sources: () => Promise.reject(new Error('boom')),
      page: async () => ({ folder: null, problem: 'vite is not installed' }),
    })
    expect(found('sources')).toMatchObject({ state: 'failed', cause: 'boom' })
    expect(found('page')).toMatchObject({ state: 'warning', cause: 'vite is not installed' })
    expect(found('clock')).toMatchObject({ state: 'ok' })
  })
})
