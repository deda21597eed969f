import type { SessionStep } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { buildBars, mainTokenKind } from './cost-steps.tsx'
import { message } from './messages.test-kit.ts'
import { callCost, sumUsage, tokensText } from './usage.ts'

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
  spent: { ...createZeroSpent(), ...spent },
  ...more,
})

describe('the cost bars of a session', () => {
  it('show the share of each step and name the longest one', () => {
    const { by, bars, most } = buildBars(
      [step(1, { cost_micro_usd: 50 }), step(4, { cost_micro_usd: 200 }), step(9, {})],
      24,
    )
    expect(by).toBe('money')
    expect(bars.map((bar) => bar.share)).toEqual([0.25, 1, 0])
    expect(most).toMatchObject({ from: 2, to: 2, n: 4 })
    expect(buildBars([step(1, { cost_micro_usd: 9 }), step(4, { cost_micro_usd: 10 })], 24).most).toBeNull()
  })

  it('combine steps when there are too many', () => {
    const steps = Array.from({ length: 50 }, (_, i) => step(2 * i, { cost_micro_usd: 1 }, { replies: 3 }))
    const { bars } = buildBars(steps, 24)
    expect(bars.map(({ from, to, n }) => [from, to, n]).slice(0, 2)).toEqual([
      [1, 9, 0],
      [10, 18, 6],
    ])
    expect(bars.at(-1)?.to).toBe(150)
    expect(bars.length).toBeLessThanOrEqual(24)
  })

  it('use tokens when no price is known, and show unknown usage as null', () => {
    const { by, bars } = buildBars(
      [step(1, { input: 10, cost_unknown: 1 }), step(2, { usage_unknown: 1 })],
      24,
    )
    expect(by).toBe('tokens')
    expect(bars.map((bar) => bar.share)).toEqual([1, null])
    expect(buildBars([step(1, { usage_unknown: 1 })], 24).by).toBeNull()
    expect(buildBars([], 24)).toEqual({ by: null, bars: [], most: null })
  })

  it('name the kind of token that cost the most', () => {
    expect(mainTokenKind({ ...createZeroSpent(), input: 140_000, cache_read: 900_000, output: 2_000 })).toBe(
      'input',
    )
    expect(mainTokenKind({ ...createZeroSpent(), input: 10, cache_read: 9_000, output: 2_000 })).toBe(
      'output',
    )
  })
})

describe('the usage of replies', () => {
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

  it('is summed, with the number of replies of unknown cost', () => {
    expect(sumUsage([reply(20_000), reply(40_000)])).toMatchObject({ output: 800, money: '$0.060' })
    expect(sumUsage([reply(20_000), reply(null)])?.money).toBe('$0.020 + 1 unknown')
    expect(sumUsage([reply(5, { usage: null }), reply(5)])).toMatchObject({ unknown: 1, output: 400 })
    const notice = message('assistant', [], { model: null })
    expect(sumUsage([reply(20_000), notice])).toMatchObject({ replies: 1, unknown: 0, money: '$0.020' })
    expect(sumUsage([message('user', [])])).toBeNull()
  })

  it('leaves a token kind unknown when no reply reports it', () => {
    const took = sumUsage([reply(1), reply(1)])
    expect(took).toMatchObject({ input: 2, cache_read: null, cache_write: 4 })
    expect(took && tokensText(took)).toBe('2 replies, Input 2, Cache read –, Cache write 4, Output 800')
  })

  it('is divided among the calls of a reply', () => {
    const call = { type: 'tool_call' as const, id: 'c', tool: 'Bash', input: null }
    expect(callCost(reply(30_000, { content: [call] }))?.text).toBe('$0.030')
    expect(callCost(reply(30_000, { content: [call, call, call] }))?.text).toBe('~$0.010')
    expect(callCost(reply(null, { content: [call] }))?.text).toBe('–')
    expect(callCost(message('tool', []))).toBeNull()
  })
})
