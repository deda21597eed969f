import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashText } from './file.ts'
import { CLAUDE_EVENTS, placeScript, planInstall, planRemove, scriptState } from './index.ts'
import { applied, editor, install, lab, paths, TOKEN, uninstall, useLab } from './plan.test-kit.ts'

useLab()
let folder = ''
let file = ''
beforeEach(() => {
  ;({ folder, file } = lab())
})
const BEFORE = '{ "model":"opus",\n\n\t"hooks":   {}}'

describe('a planned change to a settings file', () => {
  it('only shows a diff until it is applied', async () => {
    await writeFile(file, BEFORE)
    const plan = await install()
    expect(plan).toMatchObject({ changed: true, backup: `${file}.panoptes-backup` })
    expect(plan.diff).toContain('+++ ')
    expect(await readdir(folder)).toEqual(['settings.json'])
    expect(await readFile(file, 'utf8')).toBe(BEFORE)
  })

  it('keeps a copy and restores the original bytes, also after an upgrade in between', async () => {
    await writeFile(file, BEFORE)
    await chmod(file, 0o640)
    await applied(await install())
    expect(await readFile(`${file}.panoptes-backup`, 'utf8')).toBe(BEFORE)
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    await applied(await install(true))
    expect(await install(true)).toMatchObject({ changed: false, diff: '' })
    await uninstall()
    expect(await readFile(file, 'utf8')).toBe(BEFORE)
  })

  it('removes only its own entries when somebody changed the file since', async () => {
    await writeFile(file, BEFORE)
    await applied(await install())
    const text = (await readFile(file, 'utf8')).replace('opus', 'haiku')
    await writeFile(file, text)
    await uninstall()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'haiku' })
  })

  it('keeps a copy without its own entries, also after a foreign change between two installs', async () => {
    await writeFile(file, BEFORE)
    await applied(await install())
    await writeFile(file, (await readFile(file, 'utf8')).replace('opus', 'haiku'))
    await applied(await install(true))
    expect(JSON.parse(await readFile(`${file}.panoptes-backup`, 'utf8'))).toEqual({ model: 'haiku' })
    await uninstall()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ model: 'haiku' })
  })

  it('creates a missing file and removes it again', async () => {
    await applied(await install())
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).hooks)).toEqual(CLAUDE_EVENTS)
    await uninstall()
    expect(await readdir(folder)).toEqual(['home'])
  })

  it('removes the folder of the settings only if nothing else is in it', async () => {
    const at = join(folder, 'agent')
    const own = { ...editor(), file: join(at, 'settings.json') }
    const cycle = async (beforeRemoval: () => Promise<unknown>) => {
      const wanted = await planInstall(paths(), own)
      if (wanted.ok) await applied(wanted.value)
      expect(await readdir(at)).toContain('settings.json')
      await beforeRemoval()
      const removal = await planRemove(paths(), own)
      if (removal.ok) await applied(removal.value)
    }
    await cycle(async () => undefined)
    expect(await readdir(folder)).not.toContain('agent')
    await cycle(() => writeFile(join(at, 'other'), ''))
    expect(await readdir(at)).toEqual(['other'])
  })

  it('follows a link and keeps it a link', async () => {
    const real = join(folder, 'dotfiles', 'claude.json')
    await mkdir(join(folder, 'dotfiles'))
    await writeFile(real, '{}\n')
    await symlink(real, file)
    await applied(await install())
    expect(JSON.parse(await readFile(real, 'utf8')).hooks).toBeDefined()
    await uninstall()
    expect(await readFile(real, 'utf8')).toBe('{}\n')
    expect(await readFile(file, 'utf8')).toBe('{}\n')
  })

  it('follows a link to a missing file', async () => {
    await symlink('later.json', file)
    await applied(await install())
    expect((await readdir(folder)).sort()).toEqual(['home', 'later.json', 'settings.json'])
    await uninstall()
    expect((await readdir(folder)).sort()).toEqual(['home', 'settings.json'])
  })

  it('is refused when somebody else changed the file first', async () => {
    await writeFile(file, '{}')
    const plan = await install()
    await writeFile(file, '{"model":"opus"}')
    expect(await plan.apply()).toMatchObject({ ok: false, code: 'busy' })
    expect(await readFile(file, 'utf8')).toBe('{"model":"opus"}')
  })

  it('is refused for invalid settings with line and column, and writes nothing', async () => {
    await writeFile(file, '{\n  "a": 1\n  "b": 2\n}')
    const refused = await planInstall(paths(), editor())
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(refused.ok ? '' : refused.message).toContain('settings.json:3:3: ')
    await writeFile(file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(await planInstall(paths(), editor())).toMatchObject({ ok: false, code: 'invalid' })
    expect(await readdir(folder)).toEqual(['settings.json'])
  })

  it('never shows a token and makes the file with it private', async () => {
    await writeFile(file, '{}', { mode: 0o644 })
    const plan = await install(true)
    expect(plan.diff).not.toContain(TOKEN)
    expect(plan.diff).toContain('Bearer …aaaa')
    await applied(plan)
    expect(await readFile(file, 'utf8')).toContain(TOKEN)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await install()).diff).not.toContain(TOKEN)
  })
})

describe('the hook script', () => {
  it('is copied into the home, and again when it changed', async () => {
    const shipped = join(folder, 'shipped.sh')
    await writeFile(shipped, '#!/bin/sh\nexit 0\n')
    expect(await scriptState(paths(), shipped)).toBe('absent')
    expect(await placeScript(paths(), shipped)).toEqual({ ok: true, value: true })
    expect(await placeScript(paths(), shipped)).toEqual({ ok: true, value: false })
    expect((await stat(join(folder, 'home', 'hooks', 'panoptes-hook.sh'))).mode & 0o777).toBe(0o700)
    await writeFile(shipped, '#!/bin/sh\n# Version 2\nexit 0\n')
    expect(await scriptState(paths(), shipped)).toBe('older')
    expect(await placeScript(paths(), shipped)).toEqual({ ok: true, value: true })
    await writeFile(shipped, '#!/bin/sh\nexit 0\n')
    expect(await scriptState(paths(), shipped)).toBe('newer')
  })

  it('gets a new version number whenever its text changes', async () => {
    const shipped = await readFile(join(import.meta.dirname, '../../../../hooks/panoptes-hook.sh'), 'utf8')
    expect([/^# Version (\d+)$/m.exec(shipped)?.[1], hashText(shipped).slice(0, 12)]).toEqual([
      '5',
      '5b516ec0fafc',
    ])
  })
})
