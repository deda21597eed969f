import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { prices } from './prices.ts'
import { asked, homeWith, reply } from './sessions.test-kit.ts'

it('shows the price of short requests if long ones cost more', async () => {
  const { context, document, text } = homeWith({
    one: [asked('go'), reply('m1', 'claude-sonnet-4-5', { input_tokens: 10, output_tokens: 1 })],
  })
  await prices(context, {})
  expect(document()).toMatchObject({
    models: [{ model: 'claude-sonnet-4-5', input: 3, output: 15, from: 'catalogue' }],
  })
  expect(text()).toContain('$3 in, $15 out')
})

it('lists models with a configured price, whether they were used or not', async () => {
  const { context, document, text } = homeWith({
    one: [asked('go'), reply('m1', 'mystery-model', { input_tokens: 10 })],
  })
  mkdirSync(context.paths.home, { recursive: true })
  writeFileSync(context.paths.config, 'prices: {local-model: {input: 1, output: 2}}\n')
  await prices(context, {})
  expect(document()).toMatchObject({
    catalogue: 'bundled',
    models: [
      { model: 'mystery-model', input: null, from: null },
      { model: 'local-model', input: 1, output: 2, from: 'config' },
    ],
  })
  expect(text()).toMatch(/mystery-model +unknown +set it under prices in config\.yaml/)
})
