import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { collect, exitOf, makeHome, ROOT, runCommand, spawnCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

let home: TestHome
const daemons: Daemon[] = []
beforeEach(async () => {
  home = await makeHome()
})
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.stop()
  await home.remove()
})

const run = (...args: string[]) => runCommand(home, args)
const json = async (...args: string[]) => {
  const { code, stdout } = await runCommand(home, [...args, '--json'])
  const document: Record<string, unknown> = JSON.parse(stdout)
  return { code, ...document } as { readonly [field: string]: unknown }
}
const start = async (args: readonly string[] = []) => {
  const daemon = await startDaemon({ home, args })
  daemons.push(daemon)
  return daemon
}
const post = (daemon: Daemon, ids: readonly string[]) =>
  daemon.request('/events', {
    method: 'POST',
    body: ids
      .map((id) =>
        JSON.stringify({ event: 'tool_use', session_id: 's1', agent_id: 'main', id, tool: 'Bash', key: id }),
      )
      .join('\n'),
  })

describe('a mistake on the command line', () => {
  it('names the nearest command or option, in one way for all, without a stack', async () => {
    const wrong = await run('sttus')
    expect(wrong.code).toBe(2)
    expect(wrong.stdout).toBe('')
    expect(wrong.stderr).toContain("unknown command 'sttus'\n(Did you mean status?)")
    expect(wrong.stderr).not.toContain('    at ')
    expect(await json('up', '--prot', '3')).toMatchObject({ code: 'usage', ok: false })
    expect((await run('config', 'chekc')).stderr).toContain('(Did you mean config check?)')
  })

  it('shows help with examples and exit codes', async () => {
    const help = await run('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['up', 'doctor', 'Examples:', 'Exit codes:', 'PANOPTES_HOME']) {
      expect(help.stdout).toContain(part)
    }
    expect((await run()).stdout).toBe(help.stdout)
  })

  it('answers with JSON to everything that is asked for with --json, help and version too', async () => {
    expect(await json()).toMatchObject({ code: 0, ok: true, help: expect.stringContaining('Exit codes:') })
    expect(await json('--help')).toMatchObject({ code: 0, ok: true, help: expect.stringContaining('doctor') })
    expect(await json('help', 'up')).toMatchObject({ ok: true, help: expect.stringContaining('--detach') })
    expect(await json('--version')).toMatchObject({ code: 0, ok: true, version: expect.any(String) })
  })

  it('refuses words and days that there are not', async () => {
    expect(await json('config', 'path', 'extra')).toMatchObject({ code: 'usage', ok: false })
    expect(await json('status', 'extra')).toMatchObject({ code: 'usage', ok: false })
    expect((await run('export', '--since', '2026-02-30')).stderr).toContain('It must be a date')
  })
})

describe('config', () => {
  it('changes a value, keeps the comments, and names the line and column of a mistake', async () => {
    expect(await json('config', 'set', 'server.port', '8300')).toMatchObject({ ok: true, value: 8300 })
    const file = join(home.panoptes, 'config.yaml')
    expect(await readFile(file, 'utf8')).toMatch(/# The port\. 0 takes any free one\.\n {2}port: 8300\n/)
    expect((await run('config', 'get', 'server.port')).stdout).toBe('8300\n')
    await writeFile(file, 'server:\n  prot: 1\n')
    const mistaken = await run('config', 'check')
    expect(mistaken).toMatchObject({ code: 5, stdout: '' })
    expect(mistaken.stderr).toContain('config.yaml:2:3: server.prot is not a setting; did you mean "port"?')
    expect(await run('up', '--no-open')).toMatchObject({ code: 5 })
  })

  it('alone cannot open Panoptes to the network', async () => {
    await json('config', 'set', 'server.host', '0.0.0.0')
    expect(await json('up', '--no-open')).toMatchObject({ code: 'host_refused', ok: false })
  })
})

describe('up', () => {
  it('makes the home for this user alone, serves, and leaves no daemon.json when it ends', async () => {
    const daemon = await start()
    expect((await stat(home.panoptes)).mode & 0o777).toBe(0o700)
    expect(existsSync(join(home.panoptes, 'config.yaml'))).toBe(true)
    const file = JSON.parse(await readFile(join(home.panoptes, 'daemon.json'), 'utf8')) as object
    expect(file).toMatchObject({ pid: daemon.pid, port: daemon.port, address: daemon.address })
    expect(await (await fetch(`${daemon.address}/health`)).json()).toMatchObject({ ok: true })
    const signedIn = await fetch(daemon.link, { redirect: 'manual' })
    expect(signedIn.headers.get('set-cookie')).toContain('HttpOnly')
    expect(await daemon.stop()).toBe(0)
    expect(existsSync(join(home.panoptes, 'daemon.json'))).toBe(false)
  })

  it('says to a person where it is, what it found and what to do next', async () => {
    const child = spawnCommand(home, ['up', '--port', '0'], { env: { ANTHROPIC_API_KEY: 'sk-secret-value' } })
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('Files are in')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(stdout()).toMatch(/Panoptes 0\.\d+\.\d+ runs at http:\/\/127\.0\.0\.1:\d+/)
    expect(stdout()).toContain('Key in ANTHROPIC_API_KEY')
    expect(stdout()).toContain('Not found: Hermes Agent, Claude Code, Codex, OpenCode')
    expect(stdout()).toContain('panoptes demo')
    expect(stdout()).not.toContain('sk-secret-value')
    expect(stdout()).not.toContain('\x1b[')
  })

  it('leaves a folder that was there already as it is, and says that others can look into it', async () => {
    await mkdir(home.panoptes)
    await chmod(home.panoptes, 0o755)
    const detached = await json('up', '--detach', '--no-open', '--port', '0')
    expect(detached).toMatchObject({ code: 0, warning: expect.stringContaining(home.panoptes) })
    expect((await stat(home.panoptes)).mode & 0o777).toBe(0o755)
    expect(await json('stop')).toMatchObject({ code: 0, stopped: true })
  })

  it('finds the one that runs, gives a fresh link, and ends', async () => {
    const daemon = await start()
    const second = await json('up', '--no-open')
    expect(second).toMatchObject({ code: 0, already_running: true, pid: daemon.pid, address: daemon.address })
    expect(second.link).not.toBe(daemon.link)
    expect(await json('open')).toMatchObject({ code: 0, address: daemon.address, opened: false })
  })

  it('starts again after a crash, over a stale daemon.json', async () => {
    const first = await start()
    await first.kill()
    expect(await json('status')).toMatchObject({ code: 3, running: false, state: 'stale' })
    const second = await start()
    expect(second.pid).not.toBe(first.pid)
    expect(await json('status')).toMatchObject({ code: 0, running: true, pid: second.pid })
  })

  it('takes no other home for its own, and starts over a daemon.json that leads to one', async () => {
    const daemon = await start()
    const other = await makeHome()
    try {
      await cp(home.panoptes, other.panoptes, { recursive: true })
      const stale = { ...JSON.parse(await readFile(join(home.panoptes, 'daemon.json'), 'utf8')), pid: 1 }
      await writeFile(join(other.panoptes, 'daemon.json'), JSON.stringify(stale))
      const ask = async (...args: string[]) => {
        const { code, stdout } = await runCommand(other, [...args, '--json'])
        return { ...JSON.parse(stdout), exit: code } as object
      }
      expect(await ask('status')).toMatchObject({ exit: 3, running: false, state: 'foreign' })
      expect(await ask('stop')).toMatchObject({ exit: 0, stopped: false })
      const second = await startDaemon({ home: other })
      expect(second.address).not.toBe(daemon.address)
      expect(await second.stop()).toBe(0)
      expect((await daemon.request('/api/status')).status).toBe(200)
    } finally {
      await other.remove()
    }
  })

  it('lets only one of two that start at once have the ledger', async () => {
    const both = await Promise.all([startDaemon({ home }), startDaemon({ home })])
    daemons.push(...both)
    expect(both[0].pid).toBe(both[1].pid)
  })

  it('names the process that holds a taken port, in the background too', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    for (const way of [[], ['--detach']]) {
      const taken = await runCommand(home, ['up', '--no-open', '--port', String(port), ...way])
      expect(taken.code, way.join()).toBe(4)
      expect(taken.stderr).toMatch(
        new RegExp(`Port ${port} is taken: .+ \\(process ${process.pid}\\) holds it`),
      )
      expect(taken.stderr).toContain('--port 0')
    }
    server.close()
  })

  it('ends at once with the bypass variable', async () => {
    const bypassed = await runCommand(home, ['up'], { env: { KEI_GRAPH_STREAM_BYPASS: '1' } })
    expect(bypassed.code).toBe(0)
    expect(existsSync(home.panoptes)).toBe(false)
  })

  it('goes into the background, and stop brings it to an end', async () => {
    const detached = await json('up', '--detach', '--no-open', '--port', '0')
    expect(detached).toMatchObject({ code: 0, already_running: false })
    expect(await json('status')).toMatchObject({ code: 0, running: true, pid: detached.pid })
    expect(await json('stop')).toMatchObject({ code: 0, stopped: true, pid: detached.pid })
    expect(await json('stop')).toMatchObject({ code: 0, stopped: false })
    expect(await json('status')).toMatchObject({ code: 3 })
  })
})

describe('what is kept', () => {
  it('is backed up, exported and rebuilt by the running Panoptes, and by the command alone', async () => {
    const daemon = await start()
    expect((await post(daemon, ['a', 'b', 'c'])).status).toBe(200)
    const file = (name: string) => join(home.folder, name)

    expect(await json('backup', file('one.db'))).toMatchObject({ code: 0, events: 3, path: file('one.db') })
    expect(await json('backup', file('one.db'))).toMatchObject({ code: 'exists' })
    expect(await json('backup', file('one.db'), '--force')).toMatchObject({ code: 0, events: 3 })
    expect(await json('rebuild', '--check')).toMatchObject({ code: 0, differences: 0, applied: false })
    const running = (await run('export', '--kind', 'tool_use')).stdout
    expect(
      running
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).key),
    ).toEqual(['a', 'b', 'c'])
    await daemon.stop()

    expect((await run('export')).stdout).toBe(running)
    expect((await run('export', '--session', 'none')).stdout).toBe('')
    expect(await json('export', file('two.ndjson'), '--text', 'Bash')).toMatchObject({ code: 0, events: 3 })
    expect(await readFile(file('two.ndjson'), 'utf8')).toBe(running)
    expect(await json('backup', file('two.db'))).toMatchObject({ code: 0, events: 3 })
    expect(await json('rebuild')).toMatchObject({ code: 0, events: 3, applied: true })
  })

  it('is never written over by what one asks for, whatever leads to it', async () => {
    const daemon = await start()
    await post(daemon, ['a', 'b', 'c'])
    const own = (name: string) => join(home.panoptes, name)
    const link = join(home.folder, 'link')
    await symlink(home.panoptes, link)
    const asked = [
      ['export', own('ledger.db')],
      ['export', 'replay', join(link, 'config.yaml')],
      ['sessions', 'export', 'x', own('tokens/full')],
      ['backup', own('index.db-wal')],
    ]
    for (const args of asked)
      expect(await json(...args, '--force'), args.join(' ')).toMatchObject({ ok: false, code: 'kept' })
    expect((await run('export')).stdout.trim().split('\n')).toHaveLength(3)
  })

  it('is copied over a file when asked to, over nothing else, and never into a folder that is not there', async () => {
    const daemon = await start()
    await post(daemon, ['a'])
    const folder = join(home.folder, 'folder')
    await mkdir(folder)
    const file = join(folder, 'copy.db')
    await writeFile(file, 'older')
    for (const running of [true, false]) {
      if (!running) await daemon.stop()
      expect(await json('backup', folder, '--force')).toMatchObject({ ok: false, code: 'exists' })
      expect(await json('backup', join(folder, 'none', 'x.db'))).toMatchObject({ code: 'not_found' })
      expect(await json('backup', file, '--force')).toMatchObject({ code: 0, path: file, events: 1 })
      expect(await readdir(folder)).toEqual(['copy.db'])
    }
  })

  it('is nothing yet before the first start', async () => {
    expect(await json('backup', join(home.folder, 'x.db'))).toMatchObject({ code: 'not_found', ok: false })
    expect(existsSync(home.panoptes)).toBe(false)
  })
})

describe('doctor', () => {
  it('finds nothing failed on a running Panoptes, and shows no secret', async () => {
    const daemon = await start()
    const healthy = await runCommand(home, ['doctor', '--json'], {
      env: { OPENAI_API_KEY: 'sk-secret-value' },
    })
    const report = JSON.parse(healthy.stdout) as {
      ok: boolean
      checks: { id: string; state: string; detail: string }[]
    }
    expect(report.checks.filter(({ state }) => state === 'failed')).toEqual([])
    expect(healthy.code).toBe(0)
    expect(report.checks.find(({ id }) => id === 'ledger')?.detail).toContain('0 events')
    expect(report.checks.find(({ id }) => id === 'daemon')?.detail).toContain(daemon.address)
    for (const secret of ['sk-secret-value', await daemon.token('full'), await daemon.token('ingest')]) {
      expect(healthy.stdout).not.toContain(secret)
    }
    const served = (await (await daemon.request('/api/health')).json()) as { checks: { id: string }[] }
    expect(served.checks.map(({ id }) => id)).toEqual(report.checks.map(({ id }) => id))
  })

  it('ends with 1 when something failed', async () => {
    await json('config', 'set', 'log.level', 'debug')
    await writeFile(join(home.panoptes, 'ledger.db'), 'this is no ledger '.repeat(500))
    const sick = await run('doctor')
    expect(sick.code).toBe(1)
    expect(sick.stdout).toMatch(/✕ Ledger/)
  })
})

describe('demo', () => {
  it('plays a day at full speed into a home of its own, and the counters are equal', async () => {
    const played = await json('demo', '--speed', 'max', '--events', '5000', '--seed', '7')
    expect(played).toMatchObject({
      code: 0,
      ok: true,
      equal: true,
      events: 5000,
      rejected: 0,
      differences: [],
    })
    expect(existsSync(home.panoptes)).toBe(false)
  })

  it('plays into the running Panoptes, once', async () => {
    await start()
    const play = () => json('demo', '--into-running', '--speed', 'max', '--events', '500')
    expect(await play()).toMatchObject({ code: 0, equal: true })
    expect(await play()).toMatchObject({ code: 'duplicates', ok: false })
    expect(await json('status')).toMatchObject({ storage: { events: 500 } })
  })

  it('plays at the speed of life until told to stop, and has kept the count', async () => {
    const child = spawnCommand(home, ['demo', '--speed', '600'])
    const stdout = collect(child, 'stdout')
    const stderr = collect(child, 'stderr')
    const ended = exitOf(child)
    await expect.poll(stderr, { timeout: 60_000 }).toMatch(/Look at it here: http/)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(stdout()).toContain('The counters of the ledger and of the generator are equal.')
  })

  it('ends with 130 when it is stopped before the events it was asked for', async () => {
    const child = spawnCommand(home, ['demo', '--speed', '1', '--events', '100000'])
    const stderr = collect(child, 'stderr')
    const ended = exitOf(child)
    await expect.poll(stderr, { timeout: 60_000 }).toMatch(/Look at it here: http/)
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(stderr()).toContain('Stopped before the end')
  })
})

describe('an older Node', () => {
  it('re-runs the command on the pinned one in a clone, and keeps its exit code', async () => {
    const older = inject('olderNode')
    const node = 'program' in older ? older.program : expect.fail(older.missing)
    const version = await runCommand(home, ['version'], { node })
    expect(version.stdout).toMatch(/node 2[4-9]\./)
    expect((await runCommand(home, ['status'], { node, cwd: ROOT })).code).toBe(3)
  })

  it('passes signals on', async () => {
    const older = inject('olderNode')
    const node = 'program' in older ? older.program : expect.fail(older.missing)
    const child = spawnCommand(home, ['up', '--port', '0', '--json'], { node })
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('"found"')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(join(home.panoptes, 'daemon.json'))).toBe(false)
  })
})
