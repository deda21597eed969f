import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectReply, TemplatesReply } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Panoptes } from '../../daemon/start.ts'
import { runDaemon } from '../achievements/achievements.test-kit.ts'
import { forget } from '../sessions/forget.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { effect } from './effect.ts'
import { inject } from './inject.ts'
import { list } from './list.ts'
import { show } from './show.ts'
import { suggest } from './suggest.ts'
import { saidIn, terminal, writeSessions } from './templates.test-kit.ts'

const home = mkdtempSync(join(tmpdir(), 'panoptes-templates-'))
const { context, text, document, notes } = saidIn(home)
const asJson = { ...context, output: { ...context.output, json: true } }
const messages = join(home, 'chat.json')
const CHAT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'run the build in the shell' },
]

const BEGINNING = { hook_event_name: 'SessionStart', session_id: 'new', source: 'startup', cwd: '/srv/shop' }

const uses = (name: string): number =>
  JSON.parse(readFileSync(join(context.paths.templates, `${name}.json`), 'utf8')).usage_count
const given = (): InjectReply => document() as InjectReply

beforeAll(async () => {
  writeSessions(home, {
    first: terminal(6),
    second: terminal(6),
    third: terminal(6),
    'third-too': terminal(1),
  })
  writeFileSync(messages, JSON.stringify(CHAT))
  await create(context, 'first', { name: 'builds' })
  await create(context, 'second', { name: 'effects' })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('injecting a template without a daemon', () => {
  it('inserts it after the system messages and keeps the conversation', async () => {
    notes()
    await inject(asJson, 'builds', { for: 'openai', messages })
    const told = given().output as readonly { readonly role: string }[]
    expect(told.slice(0, 3).map(({ role }) => role)).toEqual(['system', 'system', 'assistant'])
    expect(told.at(-1)).toEqual(CHAT[1])
    expect(notes()).toMatch(/^Template: builds \(terminal\)\n/)
    expect(uses('builds')).toBe(1)
  })

  it('writes only JSON to stdout for a hook, and the choice with its reason to stderr', async () => {
    const payload = join(home, 'hook.json')
    writeFileSync(payload, JSON.stringify(BEGINNING))
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    onTestFinished(() => stdout.mockRestore())
    notes()
    await inject(context, undefined, { auto: true, for: 'claude-hook', messages: payload })
    const printed = stdout.mock.calls.map(([part]) => part).join('')
    stdout.mockRestore()
    expect(JSON.parse(printed)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: expect.any(String) },
    })
    expect(notes()).toMatch(/^Template: (builds|effects) \(terminal\)\n {2}.*in shop/)
  })

  it('repeats the template for a compacted session, omits it for a resumed one, and counts one use', async () => {
    const before = uses('builds') + uses('effects')
    const told = []
    for (const source of ['startup', 'compact', 'resume']) {
      const file = join(home, `${source}.json`)
      writeFileSync(file, JSON.stringify({ ...BEGINNING, session_id: 'newer', source }))
      await inject(asJson, undefined, { auto: true, for: 'claude-hook', messages: file })
      told.push(given())
    }
    expect(told[0]?.template).not.toBe(null)
    expect(told[1]).toMatchObject({ template: told[0]?.template, output: told[0]?.output })
    expect(told[2]).toMatchObject({ template: null, output: null })
    expect(uses('builds') + uses('effects')).toBe(before + 1)
  })

  it('counts one use per named session, whichever agent it belongs to', async () => {
    const before = uses('builds')
    for (const session of ['hermes/20260415_1', 'hermes/20260415_1', 'codex/a/b'])
      await inject(asJson, 'builds', { for: 'openai', session })
    expect(uses('builds')).toBe(before + 2)
    for (const session of ['hermes', 'hermes/', '/x'])
      await expect(inject(asJson, 'builds', { for: 'openai', session })).rejects.toMatchObject({ exit: 2 })
  })

  it('rejects invalid input with advice', async () => {
    const wrong = { code: 'usage', exit: 2 }
    await expect(inject(asJson, 'builds', {})).rejects.toMatchObject(wrong)
    await expect(inject(asJson, 'builds', { for: 'gemini' })).rejects.toMatchObject(wrong)
    await expect(inject(asJson, undefined, { for: 'openai' })).rejects.toMatchObject(wrong)
    await expect(inject(asJson, 'builds', { for: 'openai', auto: true })).rejects.toMatchObject(wrong)
    await expect(inject(asJson, 'none', { for: 'openai' })).rejects.toMatchObject({ code: 'not_found' })
    writeFileSync(join(home, 'odd.json'), '[1, 2]')
    const odd = { for: 'openai', messages: join(home, 'odd.json') }
    await expect(inject(asJson, 'builds', odd)).rejects.toMatchObject(wrong)
    await expect(
      inject(asJson, 'builds', { for: 'openai', messages: join(home, 'missing.json') }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('templates of a running daemon', () => {
  let daemon: Panoptes
  beforeAll(async () => {
    daemon = await runDaemon(context)
  })
  afterAll(() => daemon.close())

  it('match the files, even if one has the name of an API route', async () => {
    await list(context, {})
    expect((document() as TemplatesReply).templates.map(({ name }) => name)).toEqual(['effects', 'builds'])
    await show(context, 'effects', {})
    expect(document()).toMatchObject({ template: { name: 'effects' }, effect: { template: 'effects' } })
    await effect(context, 'effects', {})
    expect(document()).toMatchObject({ template: 'effects' })
    await effect(context, undefined, {})
    expect(document()).toMatchObject([{ template: 'effects' }, { template: 'builds' }])
    await expect(show(context, 'none', {})).rejects.toMatchObject({
      says: 'Template not found: none',
      next: 'List templates: panoptes templates list',
    })
  })

  it('are created, injected and deleted by the daemon', async () => {
    await create(context, 'third', { name: 'third', maxExamples: 2, type: 'research' })
    expect(text()).toBe('Created template: third\n  Type: research\n  Examples: 2')
    const out = join(home, 'prefill.json')
    await inject(asJson, undefined, { type: 'research', for: 'hermes-prefill', out })
    expect(given()).toMatchObject({ template: 'third', path: out })
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(given().output)
    expect(uses('third')).toBe(1)
    await inject(asJson, undefined, { auto: true, for: 'openai', messages, project: '/srv/shop' })
    expect(given().task_type).toBe('terminal')
    expect(given().reasons.join(' ')).toContain('shell')
    await suggest(context, { days: 3_650, limit: 5 })
    expect(document()).toEqual([])
    await expect(create(context, 'third', { name: 'third' })).rejects.toMatchObject({
      says: 'Failed to create template',
      message: expect.stringContaining('--force'),
      next: undefined,
    })
    await create(context, 'first', { name: 'third', force: true })
    await create(context, 'third', { name: 'third', force: true })
    await expect(create(context, 'thi', {})).rejects.toMatchObject({
      message: 'thi matches 2 sessions',
      says: 'Failed to create template',
    })
    await expect(create(context, 'nobody', {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(create(context, 't', { source: 'hermes' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(create(context, 'fi', { name: 'a/b' })).rejects.toMatchObject({ exit: 2 })
    await remove(context, 'third', {})
    await remove(context, 'third', { undo: true })
    expect(text()).toBe('Restored template: third')
    notes()
  })

  it('are deleted with their session', async () => {
    await forget(context, 'third', { yes: true })
    await list(context, {})
    expect((document() as TemplatesReply).templates.map(({ name }) => name)).toEqual(['effects', 'builds'])
  })
})
