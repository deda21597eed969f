import { expect, it } from 'vitest'
import { asked, homeWith, reply } from './sessions.test-kit.ts'
import { stats } from './stats.ts'

it('counts the calls and errors of a tool, without values of the whole session', async () => {
  const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} })
  const result = { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'no' }
  const { context, document, text } = homeWith({
    one: [
      asked('go'),
      reply('m1', 'claude-opus-4-8', { input_tokens: 100_000 }, [call('t1', 'Bash'), call('t2', 'Read')]),
      asked([result]),
    ],
  })
  await stats(context, { by: 'tool' })
  expect(text()).toBe(
    'tool  sessions  calls  errors\nBash         1      1       1\nRead         1      1       0',
  )
  expect(document()).toMatchObject([
    { name: 'Bash', errors: 1, messages: null, spent: null },
    { name: 'Read', errors: 0, messages: null, spent: null },
  ])
})

it('counts cache reads and writes as input tokens, and adds up the cost of a model', async () => {
  const usage = {
    input_tokens: 100,
    output_tokens: 7,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 3,
  }
  const { context, text } = homeWith({
    one: [asked('go'), reply('m1', 'claude-opus-4-8', usage)],
    two: [asked('go'), reply('m2', 'claude-opus-4-8', usage), reply('m3', 'claude-sonnet-4-5')],
  })
  await stats(context, { by: 'model' })
  expect(text()).toMatch(/^claude-opus-4-8 +2 +\d+ +0 +0 +246 +14 +\$0\.\d+$/m)
  expect(text()).toMatch(/^claude-sonnet-4-5 +1 .* 0 +0 +\$0\.00$/m)
  await expect(stats(context, { by: 'color' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
})
