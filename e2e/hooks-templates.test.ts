import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, ROOT, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

let home: TestHome
const settings = () => join(home.folder, '.claude', 'settings.json')
const placed = () => join(home.panoptes, 'hooks', 'panoptes-template.sh')
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.claude'))
})
afterEach(() => home.remove())

const json = async (...args: string[]) => {
  const { code, stdout } = await runCommand(home, [...args, '--json'])
  return { exit: code, ...(JSON.parse(stdout) as Record<string, unknown>) }
}
const install = (...args: string[]) => json('templates', 'install', 'claude-code', ...args)
const BEFORE = '{\n\t"model": "opus",\n\t"hooks": { }\n}\n'

describe('panoptes templates install claude-code', () => {
  it('is installed beside the event hooks, and both are removed without a trace', async () => {
    await writeFile(settings(), BEFORE)
    await json('hooks', 'install', 'claude-code')
    expect(await install()).toMatchObject({ exit: 0, ok: true, changed: true })
    expect(await readFile(`${settings()}.panoptes-backup`, 'utf8')).toBe(BEFORE)
    expect(await json('hooks', 'uninstall', 'claude-code')).toMatchObject({ exit: 0, changed: true })
    expect(await json('hooks', 'status')).toMatchObject({ hooks: [{ state: 'absent', events: [] }, {}, {}] })
    const guard = `/bin/sh -c '[ -f "$0" ] && [ -x "$0" ] && exec "$0" "$@"; cat >/dev/null'`
    const hook = {
      command: `${guard} ${placed()} claude-code ${home.panoptes}`,
      type: 'command',
      timeout: 5,
    }
    expect(JSON.parse(await readFile(settings(), 'utf8')).hooks).toEqual({
      SessionStart: [{ hooks: [hook] }],
    })
    expect(await install('--remove')).toMatchObject({ exit: 0, changed: true })
    expect(await readFile(settings(), 'utf8')).toBe(BEFORE)
  })

  it('shows what it would write, and its script is updated when Panoptes starts', async () => {
    const dry = await install('--scope', 'project', '--dry-run')
    expect(dry).toMatchObject({
      file: expect.stringMatching(/\.claude\/settings\.local\.json$/),
      diff: expect.stringMatching(/^\+.*panoptes-template\.sh/m),
    })
    expect(await readdir(home.folder)).toEqual(['.claude'])
    await install()
    await rm(placed())
    const daemon = await startDaemon({ home })
    expect(await readFile(placed(), 'utf8')).toBe(
      await readFile(join(ROOT, 'hooks', 'panoptes-template.sh'), 'utf8'),
    )
    await daemon.stop()
  })
})
