import type { Spent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { session as sessionOf } from './conformance/lab.ts'
import { spentOf } from './spent.ts'

const session = sessionOf('s')
const usage = { input: 7, output: 3, cache_read: 2, cache_write: null, cache_write_1h: null, reasoning: 1 }
const tokens = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const replies: Spent = { ...tokens, cost_micro_usd: 5, usage_unknown: 2, cost_unknown: 1 }
const whole = { input: 7, output: 3, cache_read: 2, cache_write: 0, reasoning: 1, usage_unknown: 0 }

it('is the sum of the replies where nothing is said of the whole', () => {
  expect(spentOf(session, replies)).toEqual(replies)
})

it('is what the source says of the whole, with a price that is known or not', () => {
  expect(spentOf({ ...session, usage, cost_micro_usd: 40 }, replies)).toEqual({
    ...whole,
    cost_micro_usd: 40,
    cost_unknown: 0,
  })
  expect(spentOf({ ...session, usage, cost_micro_usd: null }, replies)).toEqual({
    ...whole,
    cost_micro_usd: 0,
    cost_unknown: 1,
  })
})

it('takes the money alone where only that was told', () => {
  expect(spentOf({ ...session, cost_micro_usd: 0 }, replies)).toEqual({
    ...replies,
    cost_micro_usd: 0,
    cost_unknown: 0,
  })
})
