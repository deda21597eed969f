import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collect, exitOf, makeHome, runCommand, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import { startDaemon } from './daemon.ts'

const { home, json, start, stopAfterwards } = useHome()

describe('up', () => {
  it('creates the home for this user only, serves, and leaves no daemon.json at its end', async () => {
    const daemon = await start()
    expect((await stat(home().panoptes)).mode & 0o777).toBe(0o700)
    expect(existsSync(join(home().panoptes, 'config.yaml'))).toBe(true)
    const file = JSON.parse(await readFile(join(home().panoptes, 'daemon.json'), 'utf8')) as object
    expect(file).toMatchObject({ pid: daemon.pid, port: daemon.port, address: daemon.address })
    expect(await (await fetch(`${daemon.address}/health`)).json()).toMatchObject({ ok: true })
    const signedIn = await fetch(daemon.link, { redirect: 'manual' })
    expect(signedIn.headers.get('set-cookie')).toContain('HttpOnly')
    expect(await daemon.stop()).toBe(0)
    expect(existsSync(join(home().panoptes, 'daemon.json'))).toBe(false)
  })

  it('prints where it runs, what it found and what to do next', async () => {
    const child = spawnCommand(home(), ['up', '--port', '0'], {
      env: { ANTHROPIC_API_KEY: 'sk-secret-value' },
    })
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('Files are in')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(stdout()).toMatch(/Panoptes 0\.\d+\.\d+ is running at http:\/\/127\.0\.0\.1:\d+/)
    expect(stdout()).toContain('Key in ANTHROPIC_API_KEY')
    expect(stdout()).toContain('Not found: Hermes Agent, Claude Code, Codex, OpenCode')
    expect(stdout()).toContain(home().store === undefined ? 'panoptes demo' : 'panoptes doctor --team')
    expect(stdout()).not.toContain('sk-secret-value')
    expect(stdout()).not.toContain('\x1b[')
  })

  it('leaves an existing folder unchanged, and warns that others can read it', async () => {
    await mkdir(home().panoptes)
    await chmod(home().panoptes, 0o755)
    const detached = await json('up', '--detach', '--no-open', '--port', '0')
    expect(detached).toMatchObject({ code: 0, warning: expect.stringContaining(home().panoptes) })
    expect((await stat(home().panoptes)).mode & 0o777).toBe(0o755)
    expect(await json('stop')).toMatchObject({ code: 0, stopped: true })
  })

  it('starts even if Hermes has its own files in the folder for achievements', async () => {
    const theirs = join(home().folder, '.hermes', 'plugin-data', 'hermes-achievements')
    await mkdir(theirs, { recursive: true })
    await writeFile(join(theirs, 'scan_snapshot.json'), '{"sessions": []}')
    await mkdir(home().panoptes)
    await writeFile(join(home().panoptes, 'config.yaml'), 'layout: hermes\n')
    expect(await json('config', 'check')).toMatchObject({ code: 'invalid_config' })
    const daemon = await start()
    expect(await (await fetch(`${daemon.address}/health`)).json()).toMatchObject({ ok: true })
    expect(await readFile(join(theirs, 'scan_snapshot.json'), 'utf8')).toBe('{"sessions": []}')
  })

  it('finds the running Panoptes, prints a new link, and exits', async () => {
    const daemon = await start()
    const second = await json('up', '--no-open')
    expect(second).toMatchObject({ code: 0, already_running: true, pid: daemon.pid, address: daemon.address })
    expect(second.link).not.toBe(daemon.link)
    expect(await json('open')).toMatchObject({ code: 0, address: daemon.address, opened: false })
  })

  it('starts again after a crash, despite a stale daemon.json', async () => {
    const first = await start()
    await first.kill()
    expect(await json('status')).toMatchObject({ code: 3, running: false, state: 'stale' })
    const second = await start()
    expect(second.pid).not.toBe(first.pid)
    expect(await json('status')).toMatchObject({ code: 0, running: true, pid: second.pid })
  })

  it('does not mistake another home for its own, and starts despite a daemon.json of another home', async () => {
    const daemon = await start()
    const other = await makeHome()
    try {
      await cp(home().panoptes, other.panoptes, { recursive: true })
      const stale = { ...JSON.parse(await readFile(join(home().panoptes, 'daemon.json'), 'utf8')), pid: 1 }
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

  it('shows in status that it stores nothing, why, and what to do, while /ready fails', async () => {
    const daemon = await start()
    expect(await json('status')).toMatchObject({ code: 0, running: true, ready: true, not_ready: null })
    const store = join(home().panoptes, 'ledger.db')
    await rename(store, `${store}-moved`)
    expect((await fetch(`${daemon.address}/ready`)).status).toBe(503)
    const message = expect.stringContaining('nothing is stored')
    const next = expect.stringContaining('Put the Panoptes folder back')
    expect(await json('status')).toMatchObject({ code: 0, ready: false, not_ready: { message, next } })
    const { code, stdout } = await runCommand(home(), ['status'])
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'Panoptes is running but cannot store events'])
    expect(stdout).toContain('nothing is stored')
    await rename(`${store}-moved`, store)
    expect(await json('status')).toMatchObject({ code: 0, ready: true })
  })

  it('is reported neither as stopped nor as another home if its tokens are missing', async () => {
    const daemon = await start()
    await rm(join(home().panoptes, 'tokens'), { recursive: true })
    const next = expect.stringContaining(`kill ${daemon.pid}`)
    expect(await json('status')).toMatchObject({ code: 3, running: false, state: 'unproven', next })
    expect(await json('stop')).toMatchObject({ code: 'no_token', ok: false, next })
    const { code, stdout } = await runCommand(home(), ['doctor'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('its token cannot be read from')])
    process.kill(daemon.pid, 'SIGTERM')
    await expect.poll(() => json('status'), { timeout: 30_000 }).toMatchObject({ code: 3, state: 'absent' })
    await start()
    expect(await json('status')).toMatchObject({ code: 0, running: true })
  })

  it('lets two simultaneous starts share one daemon', async () => {
    const both = await Promise.all([startDaemon({ home: home() }), startDaemon({ home: home() })])
    stopAfterwards(...both)
    expect(both[0].pid).toBe(both[1].pid)
  })

  it('names the process that holds a taken port, also in the background', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    for (const way of [[], ['--detach']]) {
      const taken = await runCommand(home(), ['up', '--no-open', '--port', String(port), ...way])
      expect(taken.code, way.join()).toBe(4)
      expect(taken.stderr).toMatch(
        new RegExp(`Port ${port} is in use: .+ \\(process ${process.pid}\\) is using it`),
      )
      expect(taken.stderr).toContain('--port 0')
    }
    server.close()
  })

  it('exits at once with the bypass variable', async () => {
    const bypassed = await runCommand(home(), ['up'], { env: { KEI_GRAPH_STREAM_BYPASS: '1' } })
    expect(bypassed.code).toBe(0)
    expect(existsSync(home().panoptes)).toBe(false)
  })

  it('runs in the background until `stop` ends it', async () => {
    const detached = await json('up', '--detach', '--no-open', '--port', '0')
    expect(detached).toMatchObject({ code: 0, already_running: false })
    expect(await json('status')).toMatchObject({ code: 0, running: true, pid: detached.pid })
    expect(await json('stop')).toMatchObject({ code: 0, stopped: true, pid: detached.pid })
    expect(await json('stop')).toMatchObject({ code: 0, stopped: false })
    expect(await json('status')).toMatchObject({ code: 3 })
  })
})
