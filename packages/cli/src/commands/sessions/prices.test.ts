import { expect, it } from 'vitest'
import { prices } from './prices.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'

it('names the price of a short request where a long one costs more', async () => {
  const { context, document, text } = homeWith({
    one: [asked('go'), reply('m1', 'claude-sonnet-4-5', { input_tokens: 10, output_tokens: 1 })],
  })
  await prices(context, {})
  expect(document()).toMatchObject({
    models: [{ model: 'claude-sonnet-4-5', input: 3, output: 15, from: 'catalogue' }],
  })
  expect(text()).toContain('$3 in, $15 out')
})
