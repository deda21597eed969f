import { chmod, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { planInstall } from './index.ts'
import { applied, editor, install, lab, paths, uninstall, useLab } from './plan.test-kit.ts'

useLab()
let folder = ''
let file = ''
beforeEach(() => {
  ;({ folder, file } = lab())
})
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

describe('byte-for-byte restoration of settings', () => {
  it.each([
    ['with line ends of Windows', '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n'],
    ['with tabs', '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n'],
    ['without an end of the last line', '{\n  "model": "opus"\n}'],
    ['after a byte order mark', '\uFEFF{\n  "model": "opus"\n}\n'],
    ['of a byte order mark alone', '\uFEFF'],
    ['of nothing', ''],
    ['of white space', ' \n\n'],
    ['on one line', '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}'],
  ])('restores %s', async (_, text) => {
    await writeFile(file, text)
    await applied(await install())
    const written = await readFile(file, 'utf8')
    const settings = JSON.parse(written.replace(/^\uFEFF/, ''))
    expect(settings.hooks.Stop.at(-1).hooks[0].command).toContain('panoptes-hook.sh')
    expect(await install()).toMatchObject({ changed: false, diff: '', backup: null })
    if (text.includes('\r\n')) expect(written.replaceAll('\r\n', '')).not.toContain('\n')
    if (text.startsWith('\uFEFF{')) expect(written.startsWith('\uFEFF{')).toBe(true)
    await uninstall()
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('restores settings behind a chain of links and keeps the links', async () => {
    const real = join(folder, 'dotfiles', 'claude.json')
    await mkdir(join(folder, 'dotfiles'))
    await writeFile(real, '{ "a":1 }', { mode: 0o640 })
    await symlink('claude.json', join(folder, 'dotfiles', 'link.json'))
    await symlink(join(folder, 'dotfiles', 'link.json'), file)
    await applied(await install(true))
    expect(await modeOf(real)).toBe(0o600)
    await uninstall()
    expect(await readFile(real, 'utf8')).toBe('{ "a":1 }')
    expect(await modeOf(real)).toBe(0o640)
    expect(await readdir(folder)).toEqual(['dotfiles', 'home', 'settings.json'])
  })
})

describe('the mode of the settings file', () => {
  it('is restored when the token is removed', async () => {
    await writeFile(file, '{}')
    await chmod(file, 0o644)
    await applied(await install(true))
    expect(await modeOf(file)).toBe(0o600)
    await uninstall()
    expect(await modeOf(file)).toBe(0o644)
  })

  it('is restored when commands replace http', async () => {
    await writeFile(file, '{}')
    await chmod(file, 0o664)
    await applied(await install(true))
    await applied(await install())
    expect(await modeOf(file)).toBe(0o664)
  })

  it('is restored after a foreign change of the text and kept after a foreign change of the mode', async () => {
    await writeFile(file, '{}')
    await chmod(file, 0o644)
    await applied(await install(true))
    await writeFile(file, (await readFile(file, 'utf8')).replace('{', '{"model":"opus",'))
    await uninstall()
    expect(await modeOf(file)).toBe(0o644)
    await applied(await install(true))
    await chmod(file, 0o400 | 0o200 | 0o040)
    await uninstall()
    expect(await modeOf(file)).toBe(0o640)
  })
})

describe('read-only settings', () => {
  it('stay untouched, with advice and without a copy', async () => {
    await writeFile(file, '{}')
    await chmod(file, 0o444)
    const refused = await (await install()).apply()
    expect(refused).toMatchObject({ ok: false, code: 'read_only' })
    expect(refused.ok ? '' : refused.message).toContain(`chmod u+w "${file}"`)
    expect(await readFile(file, 'utf8')).toBe('{}')
    expect(await readdir(folder)).not.toContain('settings.json.panoptes-backup')
  })
})

describe('concurrent installs', () => {
  it('leave one set of hooks and one copy of the original file', async () => {
    const before = '{ "hooks":   {}, "model":"opus" }'
    await writeFile(file, before)
    const plans = await Promise.all([install(), install(), install()])
    await Promise.all(plans.map(applied))
    expect(await install()).toMatchObject({ changed: false })
    expect(await readFile(`${file}.panoptes-backup`, 'utf8')).toBe(before)
    await uninstall()
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it('of different kinds succeed after one of them had to retry', async () => {
    const before = '{ "hooks":   {} }'
    await writeFile(file, before)
    const [one, other] = await Promise.all([install(), install(true)])
    const results = await Promise.all([one.apply(), other.apply()])
    expect(results.filter(({ ok }) => !ok)).toMatchObject([{ code: 'busy' }])
    await applied(await install(true))
    await uninstall()
    expect(await readFile(file, 'utf8')).toBe(before)
  })

  it('do not wait for a process that died', async () => {
    await mkdir(join(paths().home, 'hooks'), { recursive: true })
    await writeFile(join(paths().home, 'hooks', '.lock'), String(2 ** 22 + 1))
    await writeFile(file, '{}')
    await applied(await install())
    expect(await readdir(join(paths().home, 'hooks'))).toEqual(['installed.json'])
  })
})

describe('a missing backup copy', () => {
  it('falls back to removing the entries one by one', async () => {
    await writeFile(file, '{"model":"opus"}\n')
    await applied(await install())
    await rename(`${file}.panoptes-backup`, join(folder, 'moved'))
    await uninstall()
    expect(await readFile(file, 'utf8')).toBe('{"model":"opus"}\n')
    expect(await planInstall(paths(), editor())).toMatchObject({ ok: true })
  })
})
