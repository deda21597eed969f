import type { Spent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { session as sessionOf } from './conformance/lab.ts'
import { totalSpent } from './usage-sums.ts'

const session = sessionOf('s')
const usage = { input: 7, output: 3, cache_read: 2, cache_write: null, cache_write_1h: null, reasoning: 1 }
const tokens = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
const replies: Spent = { ...tokens, cost_micro_usd: 5, usage_unknown: 2, cost_unknown: 1 }
const whole = { input: 7, output: 3, cache_read: 2, cache_write: 0, reasoning: 1, usage_unknown: 0 }

it('sums the usage of replies when the source reports no total', () => {
  expect(totalSpent(session, replies)).toEqual(replies)
})

it("uses the source's total usage, whether or not its price is known", () => {
  expect(totalSpent({ ...session, usage, cost_micro_usd: 40 }, replies)).toEqual({
    ...whole,
    cost_micro_usd: 40,
    cost_unknown: 0,
  })
  expect(totalSpent({ ...session, usage, cost_micro_usd: null }, replies)).toEqual({
    ...whole,
    cost_micro_usd: 0,
    cost_unknown: 1,
  })
})

it('uses the reported cost alone when the source reports nothing else', () => {
  expect(totalSpent({ ...session, cost_micro_usd: 0 }, replies)).toEqual({
    ...replies,
    cost_micro_usd: 0,
    cost_unknown: 0,
  })
})
