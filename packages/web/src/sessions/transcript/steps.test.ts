import type { SessionStep } from '@panoptes/schema'
import { nothingSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { message } from './messages.test-kit.ts'
import { barsOf, mostlyOf } from './steps.ts'
import { callCost, tookTogether } from './took.ts'

const step = (
  n: number,
  spent: Partial<SessionStep['spent']>,
  more: Partial<SessionStep> = {},
): SessionStep => ({
  n,
  replies: 1,
  ts: null,
  tool_calls: 1,
  errors: 0,
  spent: { ...nothingSpent(), ...spent },
  ...more,
})

describe('the cost of each step', () => {
  it('is a bar of its length, and the longest is named', () => {
    const { by, bars, most } = barsOf(
      [step(1, { cost_micro_usd: 50 }), step(4, { cost_micro_usd: 200 }), step(9, {})],
      24,
    )
    expect(by).toBe('money')
    expect(bars.map((bar) => bar.share)).toEqual([0.25, 1, 0])
    expect(most).toMatchObject({ from: 2, to: 2, n: 4 })
    expect(barsOf([step(1, { cost_micro_usd: 9 }), step(4, { cost_micro_usd: 10 })], 24).most).toBeNull()
  })

  it('is put together where there are more steps than fit', () => {
    const steps = Array.from({ length: 50 }, (_, i) => step(2 * i, { cost_micro_usd: 1 }, { replies: 3 }))
    const { bars } = barsOf(steps, 24)
    expect(bars.map(({ from, to, n }) => [from, to, n]).slice(0, 2)).toEqual([
      [1, 9, 0],
      [10, 18, 6],
    ])
    expect(bars.at(-1)?.to).toBe(150)
    expect(bars.length).toBeLessThanOrEqual(24)
  })

  it('is in tokens where no price is known, and unknown is not nothing', () => {
    const { by, bars } = barsOf([step(1, { input: 10, cost_unknown: 1 }), step(2, { usage_unknown: 1 })], 24)
    expect(by).toBe('tokens')
    expect(bars.map((bar) => bar.share)).toEqual([1, null])
    expect(barsOf([step(1, { usage_unknown: 1 })], 24).by).toBeNull()
    expect(barsOf([], 24)).toEqual({ by: null, bars: [], most: null })
  })

  it('says what most of it went into', () => {
    expect(mostlyOf({ ...nothingSpent(), input: 140_000, cache_read: 900_000, output: 2_000 })).toBe('input')
    expect(mostlyOf({ ...nothingSpent(), input: 10, cache_read: 9_000, output: 2_000 })).toBe('output')
  })
})

describe('what replies took', () => {
  const usage = {
    input: 1,
    output: 400,
    cache_read: null,
    cache_write: 2,
    cache_write_1h: null,
    reasoning: null,
  }
  const reply = (cost: number | null, more = {}) =>
    message('assistant', [], { model: 'm', usage, cost_micro_usd: cost, ...more })

  it('is summed, and says of how many it is not known', () => {
    expect(tookTogether([reply(20_000), reply(40_000)])).toMatchObject({ output: 800, money: '$0.060' })
    expect(tookTogether([reply(20_000), reply(null)])?.money).toBe('$0.020 + 1 unknown')
    expect(tookTogether([reply(5, { usage: null }), reply(5)])).toMatchObject({ unknown: 1, output: 400 })
    const notice = message('assistant', [], { model: null })
    expect(tookTogether([reply(20_000), notice])).toMatchObject({ replies: 1, unknown: 0, money: '$0.020' })
    expect(tookTogether([message('user', [])])).toBeNull()
  })

  it('is shared by the calls of a reply', () => {
    const call = { type: 'tool_call' as const, id: 'c', tool: 'Bash', input: null }
    expect(callCost(reply(30_000, { content: [call] }))?.text).toBe('$0.030')
    expect(callCost(reply(30_000, { content: [call, call, call] }))?.text).toBe('~$0.010')
    expect(callCost(reply(null, { content: [call] }))?.text).toBe('–')
    expect(callCost(message('tool', []))).toBeNull()
  })
})
