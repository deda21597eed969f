import { createHmac } from 'node:crypto'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

let home: TestHome
const file = () => join(home.folder, '.hermes', 'config.yaml')
const secretFile = () => join(home.panoptes, 'tokens', 'hermes-webhook')
beforeEach(async () => {
  home = await makeHome()
  await mkdir(join(home.folder, '.hermes'))
  await writeFile(file(), BEFORE)
})
afterEach(() => home.remove())

const BEFORE = '# my models\nmodel:\n    default: some-model   # the good one\n'
const settingOf = (text: string, key: string) => new RegExp(`^ +${key}: (.+)$`, 'm').exec(text)?.[1]
const hooks = (...args: string[]) => runCommand(home, ['hooks', ...args])

describe('panoptes hooks install hermes', () => {
  it('writes a signed webhook, shows no secret, and goes without a trace', async () => {
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
    expect((await hooks('status')).stdout).toContain('✓ Hermes Agent: signed webhooks in ')
    expect((await hooks('install', 'hermes')).stdout).toContain('nothing to change')
    const gone = await hooks('uninstall', 'hermes')
    expect(gone.stdout).not.toContain(secret)
    expect(await readFile(file(), 'utf8')).toBe(BEFORE)
  })

  it('sends what the running Panoptes takes, and nothing that is signed otherwise', async () => {
    const daemon = await startDaemon({ home })
    try {
      await hooks('install', 'hermes')
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
    } finally {
      await daemon.stop()
    }
  })

  it('leaves the secret out where a variable holds it', async () => {
    await hooks('install', 'hermes', '--secret-env')
    const text = await readFile(file(), 'utf8')
    expect(text).toContain('secret_env: PANOPTES_HERMES_SECRET')
    expect(text).not.toContain((await readFile(secretFile(), 'utf8')).trim())
  })

  it('explains that Hermes asks before it runs a shell hook', async () => {
    const { stdout } = await hooks('install', 'hermes', '--shell', '--events', 'pre_tool_call')
    expect(stdout).toContain('Without a terminal it skips them silently')
    expect(await readFile(file(), 'utf8')).toContain(`panoptes-hook.sh hermes ${home.panoptes}`)
  })

  it('refuses what means nothing for it', async () => {
    for (const wrong of [['--http'], ['--scope', 'project'], ['--events', 'PreToolUse']]) {
      expect((await hooks('install', 'hermes', ...wrong)).code).toBe(2)
    }
    expect((await hooks('install', 'claude-code', '--shell')).code).toBe(2)
  })
})
