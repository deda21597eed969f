import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeOutsideSpent, type InsideSpent } from './outside-spending.ts'
import type { ClientSpending } from './session.ts'

const inside = (cost: number, tokens: number, more: Partial<InsideSpent> = {}): InsideSpent => ({
  cost_micro_usd: cost,
  cost_unknown: 0,
  tokens,
  replies: 2,
  ...more,
})
const OPUS = new Map([['claude-opus-5-5-20260801', inside(8_554, 2_232)]])

const total = (
  cost_micro_usd: number,
  models: Readonly<Record<string, readonly [cost: number, tokens: number]>> | null,
  within_micro_usd = 1,
): ClientSpending => ({
  kind: 'total',
  cost_micro_usd,
  within_micro_usd,
  models:
    models &&
    Object.fromEntries(
      Object.entries(models).map(([name, [cost, tokens]]) => [name, { cost_micro_usd: cost, tokens }]),
    ),
})

describe('spending outside the transcript', () => {
  it("is the client's total minus the cost of the replies, by model", () => {
    const client = total(13_054, { 'claude-opus-5-5[1m]': [12_554, 3_300], 'claude-haiku-5': [500, 420] })
    expect(computeOutsideSpent(client, OPUS)).toEqual({
      cost_micro_usd: 4_500,
      models: [
        { model: 'claude-opus-5-5', cost_micro_usd: 4_000 },
        { model: 'claude-haiku-5', cost_micro_usd: 500 },
      ],
    })
  })

  it('is zero for a model whose tokens are all in the transcript, whatever price the client uses', () => {
    expect(computeOutsideSpent(total(9_999, { 'claude-opus-5-5': [9_999, 2_232] }), OPUS)).toEqual({
      cost_micro_usd: 0,
      models: [],
    })
    const unpriced = new Map([['claude-opus-5-5', inside(0, 2_232, { cost_unknown: 2 })]])
    expect(
      computeOutsideSpent(total(9_999, { 'claude-opus-5-5': [9_999, 2_232] }), unpriced)?.cost_micro_usd,
    ).toBe(0)
  })

  it('compares the sums if the client names a model differently from the replies', () => {
    const client = total(9_554, { 'eu.opus': [9_554, 2_500] })
    expect(computeOutsideSpent(client, OPUS)).toEqual({
      cost_micro_usd: 1_000,
      models: [{ model: null, cost_micro_usd: 1_000 }],
    })
  })

  it('is unknown if the client reports nothing or less than the replies cost, or a price is missing', () => {
    const unpriced = new Map([['claude-opus-5-5', inside(0, 2_232, { cost_unknown: 1 })]])
    expect(computeOutsideSpent(undefined, OPUS)).toBeNull()
    expect(computeOutsideSpent(total(4_000, { 'claude-opus-5-5': [4_000, 1_000] }), OPUS)).toBeNull()
    expect(computeOutsideSpent(total(4_000, null), OPUS)).toBeNull()
    expect(computeOutsideSpent(total(9_000, { 'claude-opus-5-5': [9_000, 2_400] }), unpriced)).toBeNull()
  })

  it('treats a total in whole cents as equal if the replies cost as much within half a cent', () => {
    expect(computeOutsideSpent(total(10_000, null, 5_000), OPUS)?.cost_micro_usd).toBe(0)
    expect(computeOutsideSpent(total(20_000, null, 5_000), OPUS)?.cost_micro_usd).toBe(11_446)
  })

  it('is the sum of the calls a client lists, and unknown if one has no price', () => {
    const usage = {
      ...{ input: 1, output: 1, cache_read: null, cache_write: null },
      ...{ cache_write_1h: null, reasoning: null },
    }
    const call = (cost_micro_usd: number | null) => ({ model: 'haiku', usage, cost_micro_usd })
    expect(computeOutsideSpent({ kind: 'calls', calls: [call(3), call(4)] }, new Map())?.cost_micro_usd).toBe(
      7,
    )
    expect(computeOutsideSpent({ kind: 'calls', calls: [call(3), call(null)] }, new Map())).toBeNull()
  })

  it('is never negative', () => {
    const spent = fc.record({
      cost_micro_usd: fc.nat(),
      cost_unknown: fc.nat(1),
      tokens: fc.nat(),
      replies: fc.nat(9),
    })
    const names = fc.constantFrom('opus', 'haiku', '')
    const client = fc.dictionary(names, fc.tuple(fc.nat(), fc.nat()))
    fc.assert(
      fc.property(fc.dictionary(names, spent), client, fc.nat(), (own, models, cost) => {
        const found = computeOutsideSpent(total(cost, models), new Map(Object.entries(own)))
        expect(found === null || found.cost_micro_usd >= 0).toBe(true)
        expect(found?.models.some(({ cost_micro_usd }) => cost_micro_usd <= 0) ?? false).toBe(false)
      }),
    )
  })
})
