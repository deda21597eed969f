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
const connections = () => findConnections(paths(), env(), '/no/script')

/** Installs into a file, by the script of this home or of another one. */
async function installInto(file: string, script: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true })
  const wish = { events: CLAUDE_EVENTS, script, home: '/p', http: null, preferHttp: false, answerSeconds: 0 }
  const plan = await planInstall(paths(), claudeEditor(file, wish))
  if (!plan.ok) throw new Error(plan.message)
  await applied(plan.value)
}

describe('who tells Panoptes what it does', () => {
  it('is nobody at first', async () => {
    expect(await connections()).toEqual({
      connected: [],
      unconnected: ['claude-code', 'hermes'],
      problems: [],
      script: 'absent',
      scriptRuns: false,
    })
  })

  it('is found in the settings of the person, and whether they run the script of this home', async () => {
    await applied(await install())
    expect(await connections()).toMatchObject({
      connected: ['claude-code'],
      unconnected: ['hermes'],
      scriptRuns: false,
    })
    await installInto(lab().file, scriptFile(paths()))
    expect(await connections()).toMatchObject({ connected: ['claude-code'], scriptRuns: true })
  })

  it('is found in every project that hooks were written to', async () => {
    const projects = ['one', 'two'].map((name) => claudeSettingsFile('project', {}, join(lab().folder, name)))
    for (const file of projects) await installInto(file, scriptFile(paths()))
    expect((await readRecords(paths())).map(({ file }) => file)).toEqual(projects)
    expect(await connections()).toMatchObject({ connected: ['claude-code'], scriptRuns: true })
  })

  it('says what keeps hooks from running', async () => {
    await writeFile(lab().file, '{"disableAllHooks": true}')
    await applied(await install())
    expect((await connections()).problems).toEqual([expect.stringContaining('disableAllHooks')])
    await writeFile(lab().file, '{')
    expect(await connections()).toMatchObject({ connected: [], problems: [expect.any(String)] })
  })
})

describe('the hooks in one settings file', () => {
  const state = () => claudeHooks(paths(), lab().file, 'user')

  it('are by command, by http or by both', async () => {
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

  it('are absent where only those of others are there', async () => {
    await writeFile(lab().file, '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"other.sh"}]}]}}')
    expect(await state()).toMatchObject({ state: 'absent', form: null, events: [] })
  })
})

describe('the settings of Claude Code', () => {
  it('are where its environment says', () => {
    expect(claudeSettingsFile('user', { HOME: '/home/me' }, '/p')).toBe('/home/me/.claude/settings.json')
    expect(claudeSettingsFile('user', { HOME: '/home/me', CLAUDE_CONFIG_DIR: '/c' }, '/p')).toBe(
      '/c/settings.json',
    )
    expect(claudeSettingsFile('project', { CLAUDE_CONFIG_DIR: '/c' }, '/p')).toBe(
      '/p/.claude/settings.local.json',
    )
  })

  it('are not read where they are far too large or no text', async () => {
    await writeFile(lab().file, Buffer.alloc(8 * 1024 * 1024 + 1, ' '))
    expect(await readSettings(lab().file)).toMatchObject({ ok: false, code: 'invalid' })
    await writeFile(lab().file, Buffer.from([0x7b, 0xff, 0x7d]))
    expect(await readSettings(lab().file)).toMatchObject({ ok: false, code: 'invalid' })
    expect(await readSettings(join(lab().folder, 'none'))).toMatchObject({ ok: true, value: { text: null } })
  })
})

it('keeps one record for each settings file', async () => {
  const record = (file: string, sha256: string) =>
    writeRecord(paths(), file, { agent: editor().agent, file, sha256, backup: null, at: 1 })
  await record('/a', '1')
  await record('/b', '2')
  await record('/a', '3')
  const kept = async () => (await readRecords(paths())).map(({ file, sha256 }) => [file, sha256])
  expect(await kept()).toEqual([
    ['/b', '2'],
    ['/a', '3'],
  ])
  await writeRecord(paths(), '/b', null)
  expect(await kept()).toEqual([['/a', '3']])
})
