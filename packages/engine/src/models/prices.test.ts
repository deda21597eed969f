import type { TokenUsage } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createPrices } from './prices.ts'

const usage = (fields: Partial<TokenUsage>): TokenUsage => ({
  input: 0,
  output: 0,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
  ...fields,
})
const NOW = Date.UTC(2026, 10, 15)

describe('prices', () => {
  it('come from the catalogue, in micro-dollars', () => {
    const { costOf } = createPrices()
    const counted = usage({ input: 1_000, output: 100, cache_read: 10_000, cache_write: 400 })
    expect(costOf('claude-opus-4-8', counted, NOW)).toBe(1_000 * 5 + 100 * 25 + 10_000 * 0.5 + 400 * 6.25)
    expect(costOf('claude-opus-4-8[1m]', counted, NOW)).toBe(15_000)
  })

  it('charge more for a one-hour cache', () => {
    const { costOf } = createPrices()
    expect(costOf('claude-opus-4-8', usage({ cache_write: 100, cache_write_1h: 40 }), NOW)).toBe(
      60 * 6.25 + 40 * 10,
    )
  })

  it('increase for long requests, including tokens cached for an hour', () => {
    const { costOf } = createPrices()
    const short = usage({ input: 100_000, output: 1_000, cache_read: 10_000, cache_write: 10_000 })
    expect(costOf('claude-sonnet-4-5', short, NOW)).toBe(100_000 * 3 + 1_000 * 15 + 3_000 + 37_500)
    expect(costOf('claude-sonnet-4-5', { ...short, input: 300_000 }, NOW)).toBe(
      300_000 * 6 + 1_000 * 22.5 + 6_000 + 75_000,
    )
    const hour = usage({ cache_write: 100_000, cache_write_1h: 100_000 })
    expect(costOf('claude-sonnet-4-5', hour, NOW)).toBe(600_000)
    expect(costOf('claude-sonnet-4-5', { ...hour, cache_write_1h: 40_000 }, NOW)).toBe(
      60_000 * 3.75 + 240_000,
    )
    expect(costOf('claude-sonnet-4-5', { ...hour, cache_write_1h: 900_000 }, NOW)).toBe(600_000)
    // Tokens without a price of their own cost as much as input.
    expect(costOf('gemini-2.5-pro', hour, NOW)).toBe(125_000)
  })

  it('from the config may include one for a one-hour cache', () => {
    const hour = usage({ cache_write: 100, cache_write_1h: 40 })
    const price = { input: 1, output: 2, cache_write: 3 }
    expect(createPrices({ mine: price }).costOf('mine', hour, NOW)).toBe(300)
    expect(createPrices({ mine: { ...price, cache_write_1h: 5 } }).costOf('mine', hour, NOW)).toBe(380)
  })

  it('do not increase with the number of requests', () => {
    const { costOf, costOfSum } = createPrices()
    for (const model of ['claude-sonnet-4-5', 'gemini-2.5-pro', 'gpt-5.4', 'claude-opus-4-8']) {
      const one = usage({
        input: 10_000,
        output: 500,
        cache_read: 2_000,
        cache_write: 100,
        cache_write_1h: 60,
      })
      const cost = costOf(model, one, NOW) ?? 0
      expect(cost).toBeGreaterThan(0)
      const all = usage({
        input: 400_000,
        output: 20_000,
        cache_read: 80_000,
        cache_write: 4_000,
        cache_write_1h: 2_400,
      })
      expect(costOfSum(model, all, NOW)).toBe(cost * 40)
    }
    expect(costOfSum('claude-sonnet-4-5', usage({ input: 400_000, output: 20_000 }), NOW)).toBe(1_500_000)
    expect(costOfSum('nobody-lists-it', usage({ input: 1 }), NOW)).toBeNull()
    expect(costOfSum('claude-sonnet-4-5', usage({ output: null }), NOW)).toBeNull()
    expect(createPrices({ home: { input: 2, output: 3 } }).costOfSum('home', usage({ input: 5 }), NOW)).toBe(
      10,
    )
  })

  it("are found under the name of the model's maker or of a marketplace", () => {
    const { costOf } = createPrices()
    const counted = usage({ input: 1_000_000 })
    expect(costOf('anthropic/claude-sonnet-4.6', counted, NOW)).toBe(3_000_000)
    expect(costOf('openai/gpt-5.4', counted, NOW)).toBeGreaterThan(0)
  })

  it('are absent for unlisted models and unknown tokens', () => {
    const { costOf } = createPrices()
    expect(costOf('local/qwen3-30b.gguf', usage({ input: 1 }), NOW)).toBeNull()
    expect(costOf('', usage({ input: 1 }), NOW)).toBeNull()
    expect(costOf('claude-opus-4-8', usage({ output: null }), NOW)).toBeNull()
  })

  it('set by the user take precedence', () => {
    const { costOf } = createPrices({
      'claude-opus-4-8': { input: 1, output: 2 },
      home: { input: 0, output: 0 },
    })
    expect(costOf('claude-opus-4-8', usage({ input: 10, output: 10, cache_read: 10 }), NOW)).toBe(40)
    expect(costOf('home', usage({ input: 5 }), NOW)).toBe(0)
    expect(costOf('claude-opus-4-8[1m]', usage({ input: 10, output: 10 }), NOW)).toBe(30)
    expect(costOf('__proto__', usage({ input: 5 }), NOW)).toBeNull()
  })

  it('include the cache savings: reads priced as input, minus the extra cost of writes', () => {
    const { savedOf, savedOfSum } = createPrices()
    const counted = usage({ input: 1_000, output: 100, cache_read: 10_000, cache_write: 400 })
    expect(savedOf('claude-opus-4-8', counted, NOW)).toBe(10_000 * (5 - 0.5) - 400 * (6.25 - 5))
    expect(savedOf('claude-opus-4-8', { ...counted, cache_write_1h: 400 }, NOW)).toBe(45_000 - 400 * (10 - 5))
    expect(savedOf('claude-opus-4-8', usage({ input: 7, cache_write: 400 }), NOW)).toBe(-500)
    expect(savedOf('claude-opus-4-8', usage({ input: 7, output: null }), NOW)).toBe(0)
    expect(savedOf('nobody-lists-it', counted, NOW)).toBeNull()
    // A long request has another price, also for what it would have cost without the cache.
    const long = usage({ input: 100_000, cache_read: 200_000 })
    expect(savedOf('claude-sonnet-4-5', long, NOW)).toBe(200_000 * (6 - 0.6))
    expect(savedOfSum('claude-sonnet-4-5', long, NOW)).toBe(200_000 * (3 - 0.3))
    const mine = createPrices({
      mine: { input: 2, output: 3, cache_read: 0.5 },
      bare: { input: 2, output: 3 },
    })
    expect(mine.savedOf('mine', counted, NOW)).toBe(15_000)
    expect(mine.savedOf('bare', counted, NOW)).toBe(0)
  })
})
