import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'

let home: TestHome
const settings = () => join(home.folder, '.claude', 'settings.json')
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.claude'))
})
afterEach(() => home.remove())

const hooks = (...args: string[]) => runCommand(home, ['hooks', ...args])
const json = async (...args: string[]) => {
  const { code, stdout } = await hooks(...args, '--json')
  return { exit: code, ...(JSON.parse(stdout) as Record<string, unknown>) } as Readonly<
    Record<string, unknown>
  >
}
const BEFORE = '{\n\t"model": "opus",\n\t"permissions": {"allow": ["Bash(ls *)"]}\n}\n'

describe('panoptes hooks install claude-code', () => {
  it('shows a diff and writes nothing in a dry run', async () => {
    await writeFile(settings(), BEFORE)
    const dry = await hooks('install', 'claude-code', '--dry-run')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain('+\t"hooks": {')
    expect(await readFile(settings(), 'utf8')).toBe(BEFORE)
    expect(await readdir(home.folder)).toEqual(['.claude'])
  })

  it('writes hooks once, changes nothing the second time, and is removed without a trace', async () => {
    await writeFile(settings(), BEFORE)
    expect(await json('install', 'claude-code')).toMatchObject({
      exit: 0,
      ok: true,
      changed: true,
      form: 'command',
    })
    expect(await readFile(`${settings()}.panoptes-backup`, 'utf8')).toBe(BEFORE)
    expect(await json('install', 'claude-code')).toMatchObject({ ok: true, changed: false })
    expect(await json('status')).toMatchObject({
      script: 'current',
      hooks: [
        { scope: 'user', state: 'installed', missing: [] },
        { scope: 'project', state: 'absent' },
        { agent: 'hermes', state: 'absent' },
      ],
    })
    expect(await json('uninstall', 'claude-code')).toMatchObject({ ok: true, changed: true })
    expect(await readFile(settings(), 'utf8')).toBe(BEFORE)
  })

  it('writes a command that works in a shell, whatever the name of the home is', async () => {
    const odd = { env: { PANOPTES_HOME: join(home.folder, "it's a home") } }
    await runCommand(home, ['hooks', 'install', 'claude-code'], odd)
    const written = JSON.parse(await readFile(settings(), 'utf8'))
    const { command } = written.hooks.PreToolUse[0].hooks[0]
    const payload = JSON.stringify({ session_id: 's', hook_event_name: 'PreToolUse' })
    await new Promise<void>((resolve, reject) => {
      const child = execFile('/bin/sh', ['-c', command], { env: {} }, (error) =>
        error ? reject(error) : resolve(),
      )
      child.stdin?.end(payload)
    })
    const spool = join(home.folder, "it's a home", 'spool')
    const [left = ''] = await readdir(spool)
    expect(await readFile(join(spool, left), 'utf8')).toBe(payload)
  })

  it('respects a requested project and CLAUDE_CONFIG_DIR', async () => {
    expect(await json('install', 'claude-code', '--scope', 'project')).toMatchObject({
      file: join(home.folder, '.claude', 'settings.local.json'),
    })
    const env = { CLAUDE_CONFIG_DIR: join(home.folder, 'elsewhere') }
    await runCommand(home, ['hooks', 'install', 'claude-code'], { env })
    expect(await readdir(join(home.folder, 'elsewhere'))).toEqual(['settings.json'])
    expect(await readdir(join(home.folder, '.claude'))).toEqual(['settings.local.json'])
  })

  it('explains what HTTP hooks miss, and protects the token that it writes', async () => {
    await writeFile(settings(), '{}')
    const { stdout } = await hooks('install', 'claude-code', '--http')
    const token = (await readFile(join(home.panoptes, 'tokens', 'ingest'), 'utf8')).trim()
    expect(stdout).toContain(
      'While Panoptes is not running, HTTP hooks lose everything except the start of a session',
    )
    expect(stdout).not.toContain(token)
    const { hooks: written } = JSON.parse(await readFile(settings(), 'utf8'))
    expect(written.SessionStart[0].hooks[0].type).toBe('command')
    expect(written.Stop[0].hooks[0]).toMatchObject({
      type: 'http',
      headers: { Authorization: `Bearer ${token}` },
    })
    expect((await stat(settings())).mode & 0o777).toBe(0o600)
  })

  it('refuses broken settings with the position of the mistake', async () => {
    await writeFile(settings(), '{\n  "model": "opus",\n}\n')
    const { code, stderr } = await hooks('install', 'claude-code')
    expect(code).toBe(1)
    expect(stderr).toContain('settings.json:3:1: a name in double quotes is expected here')
    expect(await readdir(join(home.folder, '.claude'))).toEqual(['settings.json'])
  })

  it('refuses unknown events', async () => {
    const wrong = await hooks('install', 'claude-code', '--events', 'PreTolUse')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('Did you mean PreToolUse?')
    expect((await hooks('install', 'claude-code', '--events', 'WorktreeCreate')).code).toBe(2)
    expect((await hooks('install', 'emacs')).code).toBe(2)
  })
})
