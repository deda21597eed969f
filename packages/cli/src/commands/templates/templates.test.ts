import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CreatedTemplate } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { forget } from '../sessions/forget.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { effect } from './effect.ts'
import { list } from './list.ts'
import { show } from './show.ts'
import { calling, homeWith, terminal } from './templates.test-kit.ts'

const SECRET = 'AKIAIOSFODNN7EXAMPLE'

describe('templates without a daemon', () => {
  it('are empty at first, and listing them creates no store', async () => {
    const { context, text, document } = homeWith({})
    await list(context, {})
    expect(text()).toBe('No templates found')
    expect(document()).toMatchObject({ templates: [], broken: [], experiment: null })
    expect(existsSync(context.paths.store)).toBe(false)
    await effect(context, undefined, {})
    expect(text()).toBe('No templates found')
  })

  it('are suggested after the result if there are none', async () => {
    const { context, notes } = homeWith({})
    const lines: string[] = []
    const output = {
      ...context.output,
      answer: (answer: readonly string[]) => void lines.push(...answer),
      note: (line: string) => void lines.push(line),
    }
    await list({ ...context, output }, {})
    expect(lines).toEqual([
      'No templates found',
      'Find sessions for new templates: panoptes templates suggest',
    ])
    expect(notes()).toBe('')
  })

  it('are created from a session, listed, shown, deleted and restored', async () => {
    const { context, text, document, notes } = homeWith({ 'abcd1234-session': terminal(12) })
    await create(context, 'abcd', { name: 'builds' })
    expect(text()).toBe('Created template: builds\n  Type: terminal\n  Examples: 10')
    const made = document() as CreatedTemplate
    expect(Object.keys(JSON.parse(readFileSync(made.file, 'utf8'))).sort()).toEqual([
      'created_at',
      'description',
      'examples',
      'name',
      'source_session_id',
      'task_type',
      'usage_count',
    ])
    await list(context, { type: 'terminal' })
    expect(text()).toBe('Found 1 templates:\n  builds: terminal (10 examples, used 0 times)')
    await list(context, { type: 'research' })
    expect(text()).toBe('No templates found')
    await show(context, 'builds', {})
    expect(text()).toContain('→ Bash {"command":"make part0"}')
    expect(document()).toMatchObject({ place: 'panoptes', notes: { source: 'claude-code', project: 'shop' } })
    await remove(context, 'builds', {})
    expect(text()).toBe('Deleted template: builds')
    expect(notes()).toContain('restore it within a day')
    await remove(context, 'builds', { undo: true })
    expect(text()).toBe('Restored template: builds')
  })

  it('are deleted with the session they were made from', async () => {
    const { context, text, document } = homeWith({ 'abcd1234-session': terminal(2) })
    await create(context, 'abcd', {})
    expect(text()).toMatch(/^Created template: terminal_abcd1234_\d{10,}\n/)
    await forget(context, 'abcd', { yes: true })
    expect(document()).toMatchObject({
      removed: expect.arrayContaining([{ from: 'templates', what: 'templates', count: 1 }]),
    })
    await list(context, {})
    expect(text()).toBe('No templates found')
  })

  it('cannot be created from a session without a successful call or from an unknown one', async () => {
    const { context } = homeWith({ bad: calling(['Bash', {}, 'Exit code 1']) })
    await expect(create(context, 'bad', {})).rejects.toMatchObject({
      says: 'Failed to create template',
      message: expect.stringContaining('first 30 turns'),
      exit: 1,
    })
    await expect(create(context, 'none', {})).rejects.toMatchObject({
      message: 'No session none',
      says: 'Failed to create template',
      exit: 1,
    })
    await expect(remove(context, 'none', {})).rejects.toMatchObject({
      message: 'Template not found: none',
      says: 'Template not found: none',
      code: 'not_found',
      exit: 1,
    })
    await expect(create(context, 'bad', { name: '../x' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
    await expect(create(context, 'bad', { type: 'cooking' })).rejects.toMatchObject({
      code: 'usage',
      exit: 2,
    })
  })

  it('are previewed with removed secrets, and nothing is written', async () => {
    const { context, text, document } = homeWith({
      keys: calling(
        ['Bash', { command: `deploy --key ${SECRET}` }, `used ${SECRET}`],
        ['Bash', {}, 'Exit code 2'],
      ),
    })
    await create(context, 'keys', { preview: true })
    expect(text()).toMatch(/^Would create template: terminal_keys_\d+\n/)
    expect(text()).toContain('2 calls: 1 failed, 0 without a result')
    expect(text()).toMatch(/\([1-9] secrets? removed\)/)
    expect(JSON.stringify(document())).not.toContain(SECRET)
    expect(existsSync(context.paths.templates)).toBe(false)
  })

  it('names invalid files, and escapes control characters in template names', async () => {
    const { context, home, text, notes } = homeWith({})
    const hermes = join(home, '.hermes', 'session-templates')
    mkdirSync(hermes, { recursive: true })
    writeFileSync(join(hermes, 'half.json'), '{"name": "ha')
    const name = 'odd\u001b[2Jname\u202e'
    const future = { name, task_type: 'code', examples: [], created_at: 99_999_999_999_999 }
    writeFileSync(join(hermes, 'odd.json'), JSON.stringify(future))
    await list(context, {})
    expect(text()).toMatch(/^Found 1 templates:\n {2}odd \[2Jname: code \(0 examples, used 0 times\)$/)
    expect(notes()).toMatch(/half\.json: .+\nFrom Hermes \(read-only\): odd \[2Jname$/)
    await show(context, name, {})
    expect(text()).toMatch(/made +unknown/)
    await expect(remove(context, name, {})).rejects.toMatchObject({
      message: expect.stringMatching(
        /belongs to Hermes and is read-only here\. Delete it there: .+odd\.json$/,
      ),
      next: undefined,
    })
  })
})
