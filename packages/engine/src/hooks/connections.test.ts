import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from './file.ts'
import {
  CLAUDE_EVENTS,
  claudeEditor,
  claudeHooks,
  claudeSettingsFile,
  findConnections,
  type Heard,
  hermesConfigFile,
  hermesEditor,
  hermesHooks,
  planInstall,
  scriptFile,
} from './index.ts'
import { applied, editor, install, lab, paths, TOKEN, useLab } from './plan.test-kit.ts'
import { readRecords, writeRecord } from './record.ts'

useLab()

const env = () => ({
  HOME: lab().folder,
  CLAUDE_CONFIG_DIR: lab().folder,
  HERMES_HOME: join(lab().folder, 'h'),
})
const connections = (heard?: Heard) => findConnections(paths(), env(), '/no/script', heard)
/** Claims that an event of Claude Code arrived by this delivery at this time. */
const heardBy =
  (delivery: string, at: number): Heard =>
  (agent, by) =>
    agent === 'claude-code' && by === delivery ? at : null

/** Installs hooks into a file, for the script of this home or of another one. */
async function installInto(file: string, script: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  const wish = { events: CLAUDE_EVENTS, script, home: '/p', http: null, preferHttp: false, answerSeconds: 0 }
  const plan = await planInstall(paths(), claudeEditor(file, wish))
  if (!plan.ok) throw new Error(plan.message)
  await applied(plan.value)
}

describe('findConnections', () => {
  it('finds nothing at first', async () => {
    expect(await connections()).toMatchObject({
      connected: [],
      installed: [],
      unconnected: ['claude-code', 'hermes'],
      problems: [],
      script: 'absent',
      scriptRuns: false,
    })
  })

  it("finds hooks in the user's settings and whether they run this home's script", async () => {
    await applied(await install())
    expect(await connections()).toMatchObject({
      installed: ['claude-code'],
      unconnected: ['hermes'],
      scriptRuns: false,
    })
    await installInto(lab().file, scriptFile(paths()))
    expect(await connections()).toMatchObject({ installed: ['claude-code'], scriptRuns: true })
  })

  it('finds every project that hooks were installed into', async () => {
    const projects = ['one', 'two'].map((name) => claudeSettingsFile('project', {}, join(lab().folder, name)))
    for (const file of projects) await installInto(file, scriptFile(paths()))
    expect((await readRecords(paths())).map(({ file }) => file)).toEqual(projects)
    expect(await connections()).toMatchObject({ installed: ['claude-code'], scriptRuns: true })
  })

  it('reports what keeps hooks from running', async () => {
    await writeFile(lab().file, '{"disableAllHooks": true}')
    await applied(await install())
    expect((await connections()).problems).toEqual([expect.stringContaining('disableAllHooks')])
    await writeFile(lab().file, '{')
    expect(await connections()).toMatchObject({ connected: [], problems: [expect.any(String)] })
  })
})

describe('the connection of an agent', () => {
  const stateOf = async (heard?: Heard) => (await connections(heard)).agents['claude-code']?.connection

  it('depends on events received since the installation, not on the settings', async () => {
    const before = Date.now() - 1_000
    expect(await stateOf(heardBy('spool', before))).toBe('none')
    await applied(await install())
    expect(await stateOf()).toBe('installed')
    expect(await stateOf(heardBy('spool', before))).toBe('installed')
    expect(await stateOf(heardBy('http', Date.now() + 1_000))).toBe('installed')
    expect(await stateOf(heardBy('spool', Date.now() + 1_000))).toBe('connected')
  })

  it('by http depends on events by http, because the start of a session is a command in any case', async () => {
    await applied(await install(true))
    const now = Date.now() + 1_000
    expect(await stateOf(heardBy('spool', now))).toBe('installed')
    expect(await stateOf(heardBy('http', now))).toBe('connected')
  })

  it('counts events from any time when the installation time is unknown', async () => {
    await writeFile(lab().file, OURS)
    expect(await stateOf(heardBy('spool', 1))).toBe('connected')
  })
})

describe('webhooks that the installed Hermes does not send', () => {
  const webhook = { name: 'panoptes', url: 'http://127.0.0.1:1/hooks/hermes', events: ['x'], timeout: 5 }
  const hook = { command: '/p/panoptes-hook.sh hermes /p', timeout: 5 }
  const file = () => hermesConfigFile(env())
  const put = async (wish: Parameters<typeof hermesEditor>[1]) => {
    const plan = await planInstall(paths(), hermesEditor(file(), wish, null))
    if (!plan.ok) throw new Error(plan.message)
    await applied(plan.value)
  }

  it('are reported until command hooks are installed', async () => {
    await mkdir(join(lab().folder, 'h'))
    await put({ form: 'webhook', webhook })
    const at = (version: string) => hermesHooks(paths(), file(), { version })
    expect(await at('0.19.0')).toMatchObject({
      form: 'webhook',
      connection: 'installed',
      problem: expect.stringContaining('Fix it with: panoptes hooks install hermes'),
    })
    expect(await at('0.21.3')).toMatchObject({ problem: null })
    await put({ form: 'shell', events: ['pre_tool_call'], hook })
    expect(await at('0.19.0')).toMatchObject({ form: 'shell', events: ['pre_tool_call'], problem: null })
  })
})

describe('the hooks in one settings file', () => {
  const state = () => claudeHooks(paths(), lab().file, 'user')

  it('are delivered by command, by http or by both', async () => {
    await applied(await install())
    expect(await state()).toMatchObject({ state: 'installed', form: 'command', script: 'other', missing: [] })
    await applied(await install(true))
    expect(await state()).toMatchObject({ form: 'http', missing: [] })
    const text = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/p/panoptes-hook.sh claude-code /p"}]}],
      "SessionEnd":[{"hooks":[{"type":"http","url":"http://127.0.0.1:1/hooks/claude-code","headers":{"Authorization":"Bearer ${TOKEN}"}}]}]}}`
    await writeFile(lab().file, text)
    const mixed = await state()
    expect(mixed).toMatchObject({ form: 'mixed', events: ['Stop', 'SessionEnd'] })
    expect(mixed.missing).toEqual(CLAUDE_EVENTS.filter((event) => event !== 'Stop' && event !== 'SessionEnd'))
  })

  it('are absent when the file has only foreign hooks', async () => {
    await writeFile(lab().file, '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other.sh"}]}]}}')
    expect(await state()).toMatchObject({ state: 'absent', form: null, events: [] })
  })
})

describe('the settings of Claude Code', () => {
  it('are found where its environment points', () => {
    expect(claudeSettingsFile('user', { HOME: '/home/me' }, '/p')).toBe('/home/me/.claude/settings.json')
    expect(claudeSettingsFile('user', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '/c' }, '/p')).toBe(
      '/c/settings.json',
    )
    expect(claudeSettingsFile('project', { CLAUDE_CONFIG_DIR: '/c' }, '/p')).toBe(
      '/p/.claude/settings.local.json',
    )
  })

  it('are not read when they are far too large or not text', async () => {
    await writeFile(lab().file, Buffer.alloc(8 * 1024 * 1024 + 1, ' '))
    expect(await readSettings(lab().file)).toMatchObject({ ok: false, code: 'invalid' })
    await writeFile(lab().file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(await readSettings(lab().file)).toMatchObject({ ok: false, code: 'invalid' })
    expect(await readSettings(join(lab().folder, 'none'))).toMatchObject({ ok: true, value: { text: null } })
  })
})

it('keeps one record per settings file', async () => {
  const record = (file: string, sha256: string) =>
    writeRecord(paths(), file, { agent: editor().agent, file, sha256, backup: null, at: 1 })
  await record('/a', '1')
  await record('/b', '2')
  await record('/a', '3')
  const recorded = async () => (await readRecords(paths())).map(({ file, sha256 }) => [file, sha256])
  expect(await recorded()).toEqual([
    ['/b', '2'],
    ['/a', '3'],
  ])
  await writeRecord(paths(), '/b', null)
  expect(await recorded()).toEqual([['/a', '3']])
})

const OURS = `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/p/panoptes-hook.sh claude-code /p"}]}]}}`
