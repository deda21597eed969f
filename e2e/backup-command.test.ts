import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { collect, exitOf, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import type { Daemon } from './daemon.ts'

const { home, json, run, start } = useHome()

const post = (daemon: Daemon, ids: readonly string[]) =>
  daemon.request('/events', {
    method: 'POST',
    body: ids
      .map((id) =>
        JSON.stringify({ event: 'tool_use', session_id: 's1', agent_id: 'main', id, tool: 'Bash', key: id }),
      )
      .join('\n'),
  })

describe('backup, export and rebuild', () => {
  it('work in the running Panoptes and in the command alone', async () => {
    const daemon = await start()
    expect((await post(daemon, ['a', 'b', 'c'])).status).toBe(200)
    const file = (name: string) => join(home().folder, name)

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
    const none = await run('export', '--session', 'none')
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No event matches') })
    expect(await json('export', file('two.ndjson'), '--text', 'Bash')).toMatchObject({ code: 0, events: 3 })
    expect(await readFile(file('two.ndjson'), 'utf8')).toBe(running)
    expect(await json('backup', file('two.db'))).toMatchObject({ code: 0, events: 3 })
    expect(await json('rebuild')).toMatchObject({ code: 0, events: 3, applied: true })
  })

  it('never overwrite stored data, whichever path leads to it', async () => {
    const daemon = await start()
    await post(daemon, ['a', 'b', 'c'])
    const own = (name: string) => join(home().panoptes, name)
    const link = join(home().folder, 'link')
    await symlink(home().panoptes, link)
    const asked = [
      ['export', own('ledger.db')],
      ['export', 'replay', join(link, 'config.yaml')],
      ['sessions', 'export', 'x', own('tokens/full')],
      ['backup', own('history.db-wal')],
    ]
    for (const args of asked)
      expect(await json(...args, '--force'), args.join(' ')).toMatchObject({ ok: false, code: 'kept' })
    expect((await run('export')).stdout.trim().split('\n')).toHaveLength(3)
  })

  it('overwrite a file only on request, nothing else, and never write into a missing folder', async () => {
    const daemon = await start()
    await post(daemon, ['a'])
    const folder = join(home().folder, 'folder')
    await mkdir(folder)
    const file = join(folder, 'copy.db')
    await writeFile(file, 'older')
    for (const running of [true, false]) {
      if (!running) await daemon.stop()
      expect(await json('backup', folder, '--force')).toMatchObject({ ok: false, code: 'exists' })
      expect(await json('backup', join(folder, 'none', 'x.db'))).toMatchObject({ code: 'not_found' })
      expect(await json('backup', file, '--force')).toMatchObject({ code: 0, path: file, events: 1 })
      expect((await readdir(folder)).sort()).toEqual(['copy.db', 'copy.history.db'])
    }
  })

  it('report a missing store before the first start', async () => {
    expect(await json('backup', join(home().folder, 'x.db'))).toMatchObject({ code: 'not_found', ok: false })
    expect(existsSync(home().panoptes)).toBe(false)
  })
})

describe('demo', () => {
  it('plays a day at full speed into a separate home, and the counters agree', async () => {
    const played = await json('demo', '--speed', 'max', '--events', '5000', '--seed', '7')
    expect(played).toMatchObject({
      code: 0,
      ok: true,
      equal: true,
      events: 5000,
      rejected: 0,
      differences: [],
    })
    expect(existsSync(home().panoptes)).toBe(false)
  })

  it('plays into the running Panoptes, once', async () => {
    await start()
    const play = () => json('demo', '--into-running', '--speed', 'max', '--events', '500')
    expect(await play()).toMatchObject({ code: 0, equal: true })
    expect(await play()).toMatchObject({ code: 'duplicates', ok: false })
    expect(await json('status')).toMatchObject({ storage: { events: 500 } })
  })

  it('plays in real time until it is stopped, and has stored as many events as it counted', async () => {
    const child = spawnCommand(home(), ['demo', '--speed', '600'])
    const stdout = collect(child, 'stdout')
    const stderr = collect(child, 'stderr')
    const ended = exitOf(child)
    await expect.poll(stderr, { timeout: 60_000 }).toMatch(/Open this link: http/)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(stdout()).toContain("The store's counters match the generator's.")
  })

  it('exits with 130 if it is stopped before the requested number of events', async () => {
    const child = spawnCommand(home(), ['demo', '--speed', '1', '--events', '100000'])
    const stderr = collect(child, 'stderr')
    const ended = exitOf(child)
    await expect.poll(stderr, { timeout: 60_000 }).toMatch(/Open this link: http/)
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(stderr()).toContain('Interrupted')
  })
})
