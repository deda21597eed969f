import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { config } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { saidIn } from '../sessions/sessions.test-kit.ts'
import { install } from '../templates/install.ts'
import { agentAddress } from './address.ts'
import { findConnection, installHooks, parseEvents, uninstallHooks } from './install.ts'

/** Creates a home with hooks that a user wrote for Claude Code. */
function person() {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-hooks-command-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const file = join(home, '.claude', 'settings.json')
  mkdirSync(join(home, '.claude'))
  writeFileSync(file, OWN)
  const settings = () => JSON.parse(readFileSync(file, 'utf8')) as { hooks?: Record<string, unknown[]> }
  return { home, file, settings, ...saidIn(home) }
}
/** Installs a Hermes of this version in the folder of its own installer. */
function hermesOf(home: string, version: string): void {
  const venv = join(home, '.hermes', 'hermes-agent', 'venv')
  mkdirSync(join(venv, 'lib', 'python3.11', 'site-packages', `hermes_agent-${version}.dist-info`), {
    recursive: true,
  })
  mkdirSync(join(venv, 'bin'))
  writeFileSync(join(venv, 'bin', 'hermes'), '#!/bin/false\n', { mode: 0o755 })
}
const OWN = `${JSON.stringify({ model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'bell' }] }] } }, null, 2)}\n`
const USER = { scope: 'user' } as const

describe('panoptes hooks', () => {
  it('installs the chosen hooks once next to those of the user, and removes only its own', async () => {
    const { context, file, settings, text, document, home } = person()
    await installHooks(context, 'claude-code', { ...USER, events: 'Stop, PreToolUse,Stop' })
    expect(document()).toMatchObject({
      changed: true,
      dry_run: false,
      form: 'command',
      events: ['Stop', 'PreToolUse'],
    })
    expect(text()).toContain('2 hooks report to Panoptes')
    expect(settings()).toMatchObject({ model: 'opus', hooks: { Stop: [{}, {}], PreToolUse: [{}] } })
    expect(existsSync(join(home, '.panoptes', 'hooks'))).toBe(true)
    await installHooks(context, 'claude-code', { ...USER, events: 'Stop,PreToolUse' })
    expect(text()).toContain('settings.json is up to date')
    expect(document()).toMatchObject({ changed: false })
    await uninstallHooks(context, 'claude-code', { ...USER, dryRun: true })
    expect(text()).toContain('Dry run: would remove this from')
    expect(settings().hooks).toHaveProperty('PreToolUse')
    await uninstallHooks(context, 'claude-code', USER)
    expect(text()).toContain('Removed the Panoptes hooks from')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(OWN))
    await uninstallHooks(context, 'claude-code', USER)
    expect(text()).toContain('No Panoptes hooks in')
  })

  it('writes nothing in a dry run and shows the planned changes', async () => {
    const { context, file, text, document, home } = person()
    await installHooks(context, 'claude-code', { ...USER, dryRun: true })
    expect(document()).toMatchObject({ changed: true, dry_run: true })
    expect(text()).toMatch(/^\+.*SessionStart/m)
    expect(text()).toContain('Dry run: would write this to')
    expect(readFileSync(file, 'utf8')).toBe(OWN)
    expect(existsSync(join(home, '.panoptes'))).toBe(false)
  })

  it('connects Hermes in a form that its version supports, and replaces an unsupported one', async () => {
    const { context, home, document, text } = person()
    const file = join(home, '.hermes', 'config.yaml')
    hermesOf(home, '0.21.3')
    await installHooks(context, 'hermes', USER)
    expect(document()).toMatchObject({ form: 'webhook' })
    rmSync(join(home, '.hermes', 'hermes-agent'), { recursive: true })
    hermesOf(home, '0.19.0')
    await installHooks(context, 'hermes', USER)
    expect(document()).toMatchObject({
      form: 'shell',
      events: expect.not.arrayContaining(['on_skill_lifecycle']),
    })
    expect(text()).toContain('Hermes 0.19.0 does not support webhooks, so these are shell hooks.')
    expect(readFileSync(file, 'utf8')).not.toContain('outbound')
    expect(readFileSync(file, 'utf8')).toContain('panoptes-hook.sh')
    await expect(installHooks(context, 'hermes', { ...USER, secretEnv: true })).rejects.toMatchObject({
      code: 'usage',
    })
  })

  it('connects Hermes by shell hooks if its version is unknown', async () => {
    const { context, document } = person()
    await installHooks(context, 'hermes', { ...USER, dryRun: true })
    expect(document()).toMatchObject({ form: 'shell' })
  })

  it('connects a newer Hermes by a signed webhook to the configured port', async () => {
    const { context, home, document } = person()
    hermesOf(home, '0.21.3')
    mkdirSync(join(home, '.panoptes'))
    writeFileSync(join(home, '.panoptes', 'config.yaml'), 'server: {port: 8399}\n')
    await installHooks(context, 'hermes', { ...USER, events: 'pre_tool_call' })
    expect(document()).toMatchObject({ agent: 'hermes', form: 'webhook', events: ['pre_tool_call'] })
    expect(readFileSync(join(home, '.hermes', 'config.yaml'), 'utf8')).toContain(
      'http://127.0.0.1:8399/hooks/hermes',
    )
  })

  it('installs and removes the template hook of new sessions', async () => {
    const { context, settings, text } = person()
    await install(context, 'claude-code', { ...USER, dryRun: true })
    expect(settings()).toEqual(JSON.parse(OWN))
    await install(context, 'claude-code', USER)
    expect(text()).toContain('new sessions get a template from Panoptes')
    expect(JSON.stringify(settings().hooks?.SessionStart)).toContain('panoptes-template.sh')
    await install(context, 'claude-code', { ...USER, remove: true })
    expect(settings()).toEqual(JSON.parse(OWN))
    await expect(install(context, 'hermes', USER)).rejects.toMatchObject({
      code: 'usage',
      next: expect.stringContaining('hermes-prefill'),
    })
  })

  it('rejects unknown agents and events, and options that do not apply', () => {
    expect(() => parseEvents('PreToolUs', ['Stop'], ['Stop', 'PreToolUse'])).toThrow(
      'Panoptes does not support the hook event PreToolUs',
    )
    expect(() => parseEvents(' , ', ['Stop'], ['Stop'])).toThrow('--events is empty')
    expect(parseEvents(undefined, ['Stop'], ['Stop', 'PreToolUse'])).toEqual(['Stop'])
    expect(() => findConnection('cursor', USER)).toThrow('Panoptes cannot connect cursor')
    expect(() => findConnection('hermes', { ...USER, http: true })).toThrow('--http does not apply to hermes')
    expect(() => findConnection('hermes', { scope: 'project' })).toThrow('Hermes has no project settings')
    for (const option of ['shell', 'secretEnv'])
      expect(() => findConnection('claude-code', { ...USER, [option]: true })).toThrow(
        'does not apply to claude-code',
      )
  })

  it('connects agents to a loopback address if Panoptes listens on all addresses', async () => {
    const { context } = person()
    const address = (host: string, port = 8201) =>
      agentAddress(context, config.parse({ server: { host, port } }))
    expect(await address('127.0.0.1')).toBe('http://127.0.0.1:8201')
    expect(await address('0.0.0.0')).toBe('http://127.0.0.1:8201')
    expect(await address('::')).toBe('http://127.0.0.1:8201')
    expect(await address('fd00::7')).toBe('http://[fd00::7]:8201')
    await expect(address('127.0.0.1', 0)).rejects.toMatchObject({ code: 'no_port' })
  })
})
