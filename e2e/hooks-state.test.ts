import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

let home: TestHome
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.claude', 'projects'), { recursive: true })
})
afterEach(() => home.remove())

const json = async (...args: string[]) =>
  JSON.parse((await runCommand(home, [...args, '--json'])).stdout) as Readonly<Record<string, unknown>>
const hooksCheck = async () => {
  const { checks } = (await json('doctor')) as { checks: readonly { id: string }[] }
  return checks.find(({ id }) => id === 'hooks')
}
const placed = () => join(home.panoptes, 'hooks', 'panoptes-hook.sh')
const settings = () => join(home.folder, '.claude', 'settings.json')

describe('an installed agent without hooks', () => {
  it('is named by up, doctor and hooks status until its hooks are installed', async () => {
    expect(await json('hooks', 'status')).toMatchObject({ not_connected: ['claude-code'] })
    const warned = { state: 'warning', next: 'Connect it with: panoptes hooks install claude-code' }
    expect(await hooksCheck()).toMatchObject(warned)
    const daemon = await startDaemon({ home })
    const again = await runCommand(home, ['up', '--no-open'])
    expect(again.stdout).toContain(
      'panoptes hooks install claude-code  see what Claude Code does as it happens',
    )
    await json('hooks', 'install', 'claude-code')
    expect(await json('hooks', 'status')).toMatchObject({ not_connected: [], script: 'current' })
    expect(await hooksCheck()).toMatchObject({
      state: 'ok',
      detail: 'Claude Code: installed, nothing heard yet',
    })
    expect(await json('up')).toMatchObject({ hooks: { installed: ['claude-code'], not_connected: [] } })
    await daemon.stop()
  })
})

describe('a hook script of an older version', () => {
  it('is named by doctor and hooks status, and updated only by up', async () => {
    await json('hooks', 'install', 'claude-code')
    const before = await readFile(settings(), 'utf8')
    await writeFile(placed(), '#!/bin/sh\nexit 0\n')
    expect((await runCommand(home, ['hooks', 'status'])).stdout).toContain('! The hook script is outdated.')
    expect(await hooksCheck()).toMatchObject({
      state: 'warning',
      next: expect.stringContaining('panoptes up'),
    })
    const daemon = await startDaemon({ home })
    expect(await readFile(placed(), 'utf8')).toBe(
      await readFile(join(ROOT, 'hooks', 'panoptes-hook.sh'), 'utf8'),
    )
    expect(await readFile(settings(), 'utf8')).toBe(before)
    await writeFile(placed(), '#!/bin/sh\n# Version 99999\n')
    expect(await json('up')).toMatchObject({ hooks: { script: 'newer', script_refreshed: false } })
    await daemon.stop()
  })
})
