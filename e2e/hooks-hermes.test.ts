import { spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hookConnectionWords, type SourcesReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

let home: TestHome
const file = () => join(home.folder, '.hermes', 'config.yaml')
const secretFile = () => join(home.panoptes, 'tokens', 'hermes-webhook')
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.hermes'))
  await writeFile(file(), BEFORE)
  await hermesOf('0.21.3')
})
afterEach(() => home.remove())

const BEFORE = '# my models\nmodel:\n    default: some-model   # the good one\n'
/** Creates the Hermes package of a version where Hermes's own installer puts it. */
async function hermesOf(version: string): Promise<void> {
  const venv = join(home.folder, '.hermes', 'hermes-agent', 'venv')
  await rm(venv, { recursive: true, force: true })
  await mkdir(join(venv, 'lib', 'python3.11', 'site-packages', `hermes_agent-${version}.dist-info`), {
    recursive: true,
  })
  await mkdir(join(venv, 'bin'))
  await writeFile(join(venv, 'bin', 'hermes'), '#!/bin/false\n', { mode: 0o755 })
}
const settingOf = (text: string, key: string) => new RegExp(`^ +${key}: (.+)$`, 'm').exec(text)?.[1]
const hooks = (...args: string[]) => runCommand(home, ['hooks', ...args])

const sourceOf = async (daemon: Daemon) => {
  const { sources } = (await (await daemon.request('/api/sources')).json()) as SourcesReply
  return sources.find(({ id }) => id === 'hermes')
}

/** Asserts that the page and both commands use the same words. */
async function expectSameWords(daemon: Daemon, said: string): Promise<void> {
  // The daemon looks again only a few seconds after its last look.
  await expect
    .poll(async () => hookConnectionWords[(await sourceOf(daemon))?.hooks?.connection ?? 'none'])
    .toBe(said)
  expect((await hooks('status')).stdout).toContain(`Hermes Agent: ${said}`)
  expect((await runCommand(home, ['doctor'])).stdout).toContain(`Hermes Agent: ${said}`)
}

describe('panoptes hooks install hermes', () => {
  it('writes a signed webhook, shows no secret, and is removed without a trace', async () => {
    const dry = await hooks('install', 'hermes', '--dry-run')
    expect(dry.stdout).toContain('+    - name: panoptes')
    expect(await readFile(file(), 'utf8')).toBe(BEFORE)
    const { code, stdout } = await hooks('install', 'hermes')
    expect(code).toBe(0)
    const secret = (await readFile(secretFile(), 'utf8')).trim()
    expect(stdout).not.toContain(secret)
    const text = await readFile(file(), 'utf8')
    expect(text.startsWith(BEFORE)).toBe(true)
    expect(text).toContain('url: http://127.0.0.1:8201/hooks/hermes')
    expect(text).toContain(`secret: ${secret}`)
    for (const guarded of [file(), secretFile()]) expect((await stat(guarded)).mode & 0o077).toBe(0)
    expect((await hooks('status')).stdout).toContain(
      '○ Hermes Agent: installed, nothing heard yet · signed webhooks in ',
    )
    expect((await hooks('install', 'hermes')).stdout).toContain('~/.hermes/config.yaml is up to date')
    const gone = await hooks('uninstall', 'hermes')
    expect(gone.stdout).not.toContain(secret)
    expect(await readFile(file(), 'utf8')).toBe(BEFORE)
  })

  it('sends what the running Panoptes accepts, and nothing with another signature', async () => {
    const daemon = await startDaemon({ home })
    try {
      await hooks('install', 'hermes')
      await expectSameWords(daemon, 'installed, nothing heard yet')
      const text = await readFile(file(), 'utf8')
      const [url = '', secret = ''] = ['url', 'secret'].map((key) => settingOf(text, key))
      expect(url).toBe(`${daemon.address}/hooks/hermes`)
      const body = JSON.stringify({
        hook_event_name: 'pre_tool_call',
        tool_name: 'terminal',
        tool_input: { command: 'ls' },
        session_id: '20260915_080000_abcdef',
        extra: { tool_call_id: 'call_1' },
        delivery_id: 'd1',
        timestamp: new Date().toISOString(),
      })
      const send = (by: string) =>
        fetch(url, {
          method: 'POST',
          body,
          headers: {
            'content-type': 'application/json',
            'x-hermes-event': 'pre_tool_call',
            'x-hermes-signature-256': `sha256=${createHmac('sha256', by).update(body).digest('hex')}`,
          },
        })
      expect((await send('another secret')).status).toBe(401)
      expect((await send(secret)).status).toBe(200)
      const agents = await (await daemon.request('/api/agents')).json()
      expect(agents).toMatchObject([
        { source: 'hermes', session_id: '20260915_080000_abcdef', tool_counts: { terminal: 1 } },
      ])
      await expectSameWords(daemon, 'connected')
    } finally {
      await daemon.stop()
    }
  })

  it('writes events that Hermes 0.19 sends, and names those that it does not', async () => {
    await hooks('install', 'hermes')
    await hermesOf('0.19.0')
    const { stdout } = await hooks('status')
    expect(stdout).toContain('✕ Hermes Agent: installed, nothing heard yet')
    expect(stdout).toContain('Hermes 0.19.0 does not support webhooks, so Panoptes receives nothing')
    const doctor = JSON.parse((await runCommand(home, ['doctor', '--json'])).stdout)
    const check = doctor.checks.find(({ id }: { readonly id: string }) => id === 'hooks')
    expect(check).toMatchObject({ state: 'warning', cause: expect.stringContaining('Hermes 0.19.0') })
    await hooks('install', 'hermes')
    const text = await readFile(file(), 'utf8')
    expect(text).not.toContain('outbound')
    expect(text).toContain(`panoptes-hook.sh hermes ${home.panoptes}`)
    expect((await hooks('status')).stdout).toContain(
      '○ Hermes Agent: installed, nothing heard yet · 12 hooks (shell)',
    )
  })

  it('is connected after events of its shell hook, whether Panoptes runs or not', async () => {
    await hermesOf('0.19.0')
    await hooks('install', 'hermes')
    const hook = join(home.panoptes, 'hooks', 'panoptes-hook.sh')
    const payload = { hook_event_name: 'on_session_start', session_id: 's1', extra: {} }
    const ran = spawnSync('sh', [hook, 'hermes', home.panoptes], { input: JSON.stringify(payload) })
    expect(ran.status).toBe(0)
    const daemon = await startDaemon({ home })
    try {
      await expect.poll(async () => (await sourceOf(daemon))?.hooks?.connection).toBe('connected')
      await expectSameWords(daemon, 'connected')
    } finally {
      await daemon.stop()
    }
    expect((await hooks('status')).stdout).toContain('✓ Hermes Agent: connected · 12 hooks (shell)')
    await rm(file())
    await hooks('install', 'hermes')
    expect((await hooks('status')).stdout).toContain('○ Hermes Agent: installed, nothing heard yet')
  })

  it('writes no secret if a variable holds it', async () => {
    await hooks('install', 'hermes', '--secret-env')
    const text = await readFile(file(), 'utf8')
    expect(text).toContain('secret_env: PANOPTES_HERMES_SECRET')
    expect(text).not.toContain((await readFile(secretFile(), 'utf8')).trim())
  })

  it('explains that Hermes asks before it runs a shell hook', async () => {
    const { stdout } = await hooks('install', 'hermes', '--shell', '--events', 'pre_tool_call')
    expect(stdout).toContain('Without a terminal it silently skips them')
    expect(stdout).toContain('1 hook reports to Panoptes')
    expect((await hooks('status')).stdout).toContain('· 1 hook (shell) in')
    expect(await readFile(file(), 'utf8')).toContain(`panoptes-hook.sh hermes ${home.panoptes}`)
  })

  it('refuses options that mean nothing for Hermes', async () => {
    for (const wrong of [['--http'], ['--scope', 'project'], ['--events', 'PreToolUse']]) {
      expect((await hooks('install', 'hermes', ...wrong)).code).toBe(2)
    }
    expect((await hooks('install', 'claude-code', '--shell')).code).toBe(2)
  })
})
