import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { list } from './list.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'
import { show } from './show.ts'

it('escapes control characters in the names of a transcript', async () => {
  const evil = (name: string) => `${name}\u001b[2J\u001b]0;owned\u0007\u0000\u009b31m\u202e!`
  const picture = { type: 'image', source: { type: 'base64', media_type: evil('image/png'), data: '' } }
  const call = { type: 'tool_use', id: 't1', name: evil('Agent'), input: { description: evil('survey') } }
  const result = { type: 'tool_result', tool_use_id: 't1', content: evil('done') }
  const { context, text } = homeWith({
    'odd\u001b[31m-id': [
      { ...asked([{ type: 'text', text: evil('look') }, picture]), cwd: evil('/work') },
      reply('m1', evil('model'), {}, [call]),
      { ...reply('m2', evil('model')), isSidechain: true, agentId: evil('aide') },
      asked([result]),
    ],
  })
  await list(context, { limit: 5 })
  const listed = text()
  await show(context, 'odd', { full: true })
  for (const name of ['odd', 'model', '/work', 'Agent', 'survey', 'aide', 'image/png', 'look', 'done'])
    expect(text(), name).toContain(name)
  for (const printed of [listed, text()]) expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

it('folds long results to their first lines, says how many are hidden, and shows all with --full', async () => {
  const long = Array.from({ length: 10 }, (_, n) => `line ${n}`).join('\n')
  const { context, text } = homeWith({
    one: [
      asked('go'),
      reply('m1', 'claude-opus-4-8', {}, [
        { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
      ]),
      asked([{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: long }]),
    ],
  })
  await show(context, 'one', {})
  expect(text()).toContain('  → Bash {"command":"ls"}')
  expect(text()).toMatch(
    / {2}← failed.*\n {4}line 0\n.*line 1\n.*line 2\n.*line 3\n {4}… 6 more lines \(--full\)/,
  )
  await show(context, 'one', { full: true })
  expect(text()).toContain('    line 9')
  expect(text()).not.toContain('more lines')
})

it('explains an unknown outside cost if the session total is below the cost of its replies', async () => {
  const used = { input_tokens: 2_000_000 }
  const total = { type: 'result', subtype: 'success', total_cost_usd: 0.01 }
  const { context, text, document } = homeWith({
    one: [asked('go'), reply('m1', 'claude-opus-4-8', used), total],
  })
  await show(context, 'one', {})
  expect(document()).toMatchObject({ session: { outside_micro_usd: null } })
  expect(text()).toMatch(/outside +unknown: .*, or its total .* is below the cost of its replies/)
  expect(text()).not.toMatch(/does not report a session total$/m)
})

it('reports at the end how many parts of a session could not be read, where and why', async () => {
  const { context, text, document } = homeWith({ one: [asked('go'), reply('m1', 'claude-opus-4-8')] })
  const file = join(context.env.HOME ?? '', '.claude', 'projects', '-x', 'one.jsonl')
  const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, [first, '{ no \u001bJSON', ...rest].join('\n'))
  await show(context, 'one', {})
  expect(text()).toMatch(/\n\n1 part could not be read:\n {2}\S*one\.jsonl:2: .+$/)
  expect(document()).toMatchObject({
    unread: 1,
    unread_parts: [{ place: expect.stringContaining('one.jsonl:2'), reason: expect.any(String) }],
  })
  writeFileSync(file, [first, ...rest].join('\n'))
  await show(context, 'one', {})
  expect(text()).not.toContain('could not be read')
})
