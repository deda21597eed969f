import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

let home: TestHome
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.claude'))
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

describe('an agent that is here and not connected', () => {
  it('is named by up, doctor and hooks status, until its hooks are there', async () => {
    expect(await json('hooks', 'status')).toMatchObject({ not_connected: ['claude-code'] })
    const warned = { state: 'warning', next: 'Connect it with: panoptes hooks install claude-code' }
    expect(await hooksCheck()).toMatchObject(warned)
    const daemon = await startDaemon({ home })
    const again = await runCommand(home, ['up', '--no-open'])
    expect(again.stdout).toContain('panoptes hooks install claude-code  see at once what Claude Code does')
    await json('hooks', 'install', 'claude-code')
    expect(await json('hooks', 'status')).toMatchObject({ not_connected: [], script: 'current' })
    expect(await hooksCheck()).toMatchObject({ state: 'ok', detail: 'Connected: Claude Code' })
    expect(await json('up')).toMatchObject({ hooks: { connected: ['claude-code'], not_connected: [] } })
    await daemon.stop()
  })
})

describe('a hook script of an older version', () => {
  it('is named by doctor and hooks status, and brought up to date by up alone', async () => {
    await json('hooks', 'install', 'claude-code')
    const before = await readFile(settings(), 'utf8')
    await writeFile(placed(), '#!/bin/sh\nexit 0\n')
    expect((await runCommand(home, ['hooks', 'status'])).stdout).toContain(
      '! The script that hooks run is older than this program.',
    )
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
