import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { config } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { saidIn } from '../sessions/sessions.test-kit.ts'
import { install } from '../templates/install.ts'
import { agentAddress } from './address.ts'
import { connectionOf } from './agents.ts'
import { chosenEvents } from './events.ts'
import { installHooks, uninstallHooks } from './install.ts'

/** A home with settings of Claude Code that a person wrote. */
function person() {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-hooks-command-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const file = join(home, '.claude', 'settings.json')
  mkdirSync(join(home, '.claude'))
  writeFileSync(file, OWN)
  const settings = () => JSON.parse(readFileSync(file, 'utf8')) as { hooks?: Record<string, unknown[]> }
  return { home, file, settings, ...saidIn(home) }
}
const OWN = `${JSON.stringify({ model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: 'bell' }] }] } }, null, 2)}\n`
const USER = { scope: 'user' } as const

describe('panoptes hooks', () => {
  it('installs the chosen hooks beside those of the person, once, and takes only its own out again', async () => {
    const { context, file, settings, text, document, home } = person()
    await installHooks(context, 'claude-code', { ...USER, events: 'Stop, PreToolUse,Stop' })
    expect(document()).toMatchObject({
      changed: true,
      dry_run: false,
      form: 'command',
      events: ['Stop', 'PreToolUse'],
    })
    expect(text()).toContain('2 hooks tell Panoptes what happens')
    expect(settings()).toMatchObject({ model: 'opus', hooks: { Stop: [{}, {}], PreToolUse: [{}] } })
    expect(existsSync(join(home, '.panoptes', 'hooks'))).toBe(true)
    await installHooks(context, 'claude-code', { ...USER, events: 'Stop,PreToolUse' })
    expect(text()).toContain('nothing to change')
    expect(document()).toMatchObject({ changed: false })
    await uninstallHooks(context, 'claude-code', { ...USER, dryRun: true })
    expect(text()).toContain('nothing was')
    expect(settings().hooks).toHaveProperty('PreToolUse')
    await uninstallHooks(context, 'claude-code', USER)
    expect(text()).toContain('The hooks of Panoptes are out of')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(OWN))
    await uninstallHooks(context, 'claude-code', USER)
    expect(text()).toContain('No hooks of Panoptes in')
  })

  it('writes nothing in a dry run, and shows what it would write', async () => {
    const { context, file, text, document, home } = person()
    await installHooks(context, 'claude-code', { ...USER, dryRun: true })
    expect(document()).toMatchObject({ changed: true, dry_run: true })
    expect(text()).toMatch(/^\+.*SessionStart/m)
    expect(text()).toContain('This would be written to')
    expect(readFileSync(file, 'utf8')).toBe(OWN)
    expect(existsSync(join(home, '.panoptes'))).toBe(false)
  })

  it('connects Hermes by a signed webhook at the port of the settings', async () => {
    const { context, home, document } = person()
    mkdirSync(join(home, '.panoptes'))
    writeFileSync(join(home, '.panoptes', 'config.yaml'), 'server: {port: 8399}\n')
    await installHooks(context, 'hermes', { ...USER, events: 'pre_tool_call' })
    expect(document()).toMatchObject({ agent: 'hermes', form: 'webhook', events: ['pre_tool_call'] })
    expect(readFileSync(join(home, '.hermes', 'config.yaml'), 'utf8')).toContain(
      'http://127.0.0.1:8399/hooks/hermes',
    )
  })

  it('has new sessions ask for a template, and ask no longer', async () => {
    const { context, settings, text } = person()
    await install(context, 'claude-code', { ...USER, dryRun: true })
    expect(settings()).toEqual(JSON.parse(OWN))
    await install(context, 'claude-code', USER)
    expect(text()).toContain('new sessions ask Panoptes for a template')
    expect(JSON.stringify(settings().hooks?.SessionStart)).toContain('panoptes-template.sh')
    await install(context, 'claude-code', { ...USER, remove: true })
    expect(settings()).toEqual(JSON.parse(OWN))
    await expect(install(context, 'hermes', USER)).rejects.toMatchObject({
      code: 'usage',
      next: expect.stringContaining('hermes-prefill'),
    })
  })

  it('refuses agents, events and options that it cannot mean', () => {
    expect(() => chosenEvents('PreToolUs', ['Stop'], ['Stop', 'PreToolUse'])).toThrow(
      'PreToolUs is not a hook event',
    )
    expect(() => chosenEvents(' , ', ['Stop'], ['Stop'])).toThrow('--events names no event')
    expect(chosenEvents(undefined, ['Stop'], ['Stop', 'PreToolUse'])).toEqual(['Stop'])
    expect(() => connectionOf('cursor', USER)).toThrow('cursor is not an agent')
    expect(() => connectionOf('hermes', { ...USER, http: true })).toThrow('--http means nothing for hermes')
    expect(() => connectionOf('hermes', { scope: 'project' })).toThrow('no settings of a project')
    for (const option of ['shell', 'secretEnv'])
      expect(() => connectionOf('claude-code', { ...USER, [option]: true })).toThrow(
        'means nothing for claude-code',
      )
  })

  it('names the address that agents on this computer can reach', async () => {
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
