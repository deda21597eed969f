import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { collect, FROM_SOURCES as command, exitOf, ROOT, runCommand, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import { startDaemon } from './daemon.ts'

const { home, stopAfterwards } = useHome()

const olderNode = (): string => {
  const older = inject('olderNode')
  return 'program' in older ? older.program : expect.fail(older.missing)
}

describe('a clone of the repository', () => {
  it('runs its sources, serves the page that it built from them, and stores events', async () => {
    const daemon = await startDaemon({ home: home(), command })
    stopAfterwards(daemon)
    const body = JSON.stringify({ event: 'prompt', session_id: 's1', prompt_preview: 'from sources' })
    expect(await (await daemon.request('/events', { method: 'POST', body })).json()).toMatchObject({
      accepted: 1,
    })
    expect(await (await daemon.request('/', { headers: { accept: 'text/html' } })).text()).toContain(
      '<title>Panoptes</title>',
    )
    expect(await (await daemon.request('/api/past/sessions')).json()).toEqual([])
    const told = await runCommand(home(), ['export', '--text', 'sources'], { command })
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('from sources') })
    expect(await daemon.stop()).toBe(0)
    const alone = await runCommand(home(), ['status'], { command })
    expect(alone).toMatchObject({ code: 3, stdout: expect.stringContaining('npx panoptes up') })
  })
})

describe('an older Node', () => {
  it('re-runs the command in a clone with the pinned version, and keeps its exit code', async () => {
    const version = await runCommand(home(), ['version'], { node: olderNode(), command })
    expect(version.stdout).toMatch(/node 2[4-9]\./)
    expect((await runCommand(home(), ['status'], { node: olderNode(), command, cwd: ROOT })).code).toBe(3)
  })

  it('passes signals on', async () => {
    const child = spawnCommand(home(), ['up', '--port', '0', '--json'], { node: olderNode(), command })
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('"found"')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(existsSync(join(home().panoptes, 'daemon.json'))).toBe(false)
  })

  it('takes the daemon on the pinned version along when it is killed', async () => {
    const child = spawnCommand(home(), ['up', '--port', '0', '--json'], { node: olderNode(), command })
    const stdout = collect(child, 'stdout')
    // The daemon shares its output, which closes once both have ended.
    const closed = exitOf(child)
    await expect.poll(stdout, { timeout: 60_000 }).toContain('"found"')
    child.kill('SIGKILL')
    await closed
    expect(existsSync(join(home().panoptes, 'daemon.json'))).toBe(false)
  })
})
