import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collect, exitOf, makeHome, runCommand, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import { startDaemon } from './daemon.ts'

const { home, json, start, stopAfterwards } = useHome()

describe('up', () => {
  it('makes the home for this user alone, serves, and leaves no daemon.json when it ends', async () => {
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

  it('says to a person where it is, what it found and what to do next', async () => {
    const child = spawnCommand(home(), ['up', '--port', '0'], {
      env: { ANTHROPIC_API_KEY: 'sk-secret-value' },
    })
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('Files are in')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    expect(stdout()).toMatch(/Panoptes 0\.\d+\.\d+ runs at http:\/\/127\.0\.0\.1:\d+/)
    expect(stdout()).toContain('Key in ANTHROPIC_API_KEY')
    expect(stdout()).toContain('Not found: Hermes Agent, Claude Code, Codex, OpenCode')
    expect(stdout()).toContain(home().ledger === undefined ? 'panoptes demo' : 'panoptes doctor --team')
    expect(stdout()).not.toContain('sk-secret-value')
    expect(stdout()).not.toContain('\x1b[')
  })

  it('leaves a folder that was there already as it is, and says that others can look into it', async () => {
    await mkdir(home().panoptes)
    await chmod(home().panoptes, 0o755)
    const detached = await json('up', '--detach', '--no-open', '--port', '0')
    expect(detached).toMatchObject({ code: 0, warning: expect.stringContaining(home().panoptes) })
    expect((await stat(home().panoptes)).mode & 0o777).toBe(0o755)
    expect(await json('stop')).toMatchObject({ code: 0, stopped: true })
  })

  it('starts also where Hermes has its own files in the place that achievements are to have', async () => {
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

  it('lets only one of two that start at once have the ledger', async () => {
    const both = await Promise.all([startDaemon({ home: home() }), startDaemon({ home: home() })])
    stopAfterwards(...both)
    expect(both[0].pid).toBe(both[1].pid)
  })

  it('names the process that holds a taken port, in the background too', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    for (const way of [[], ['--detach']]) {
      const taken = await runCommand(home(), ['up', '--no-open', '--port', String(port), ...way])
      expect(taken.code, way.join()).toBe(4)
      expect(taken.stderr).toMatch(
        new RegExp(`Port ${port} is taken: .+ \\(process ${process.pid}\\) holds it`),
      )
      expect(taken.stderr).toContain('--port 0')
    }
    server.close()
  })

  it('ends at once with the bypass variable', async () => {
    const bypassed = await runCommand(home(), ['up'], { env: { KEI_GRAPH_STREAM_BYPASS: '1' } })
    expect(bypassed.code).toBe(0)
    expect(existsSync(home().panoptes)).toBe(false)
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
