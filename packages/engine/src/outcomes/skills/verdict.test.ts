import type { SkillSum } from '@panoptes/engine/store'
import { config } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, decideVerdict, type Judged } from './verdict.ts'

const RULES = config.parse({}).skills
const NOW = 1_795_000_000_000

const sumOf = (judged: number, successes: number, uses = judged): SkillSum => ({
  skill: 'tidy',
  uses,
  judged,
  successes,
  p50_ms: null,
  p95_ms: null,
  all_uses: uses,
  last_used: NOW - 1,
})
const used = (judged: number, successes: number, uses = judged): Judged => ({
  sum: sumOf(judged, successes, uses),
  lastUsed: NOW - 1,
  changedAt: NOW - 400 * DAY_MS,
  knownSince: NOW - 400 * DAY_MS,
})
const never = (changedDays: number, knownDays: number | null): Judged => ({
  sum: undefined,
  lastUsed: null,
  changedAt: NOW - changedDays * DAY_MS,
  knownSince: knownDays === null ? null : NOW - knownDays * DAY_MS,
})
const verdict = (judged: Judged, rules = RULES) => decideVerdict(judged, rules, NOW).verdict
const reason = (judged: Judged, rules = RULES) => decideVerdict(judged, rules, NOW).reason

describe('skill verdict', () => {
  it('is validated with more than 20 uses and over 90 %, excluding both limits', () => {
    expect(verdict(used(21, 20))).toBe('validated')
    expect(verdict(used(20, 20))).toBe('watching')
    expect(verdict(used(30, 27))).toBe('watching')
    expect(verdict(used(1_000, 901))).toBe('validated')
    expect(verdict(used(1_000, 900))).toBe('watching')
    expect(reason(used(21, 20))).toBe(
      '20 of 21 uses in 30 days succeeded (95.2 %): over 90 %, of more than 20 uses.',
    )
    expect(reason(used(20, 20))).toBe(
      '20 of 20 uses in 30 days succeeded (100 %): it needs more than 20 uses to be validated.',
    )
  })

  it('is re-extract under 60 % with more than 5 uses, excluding both limits', () => {
    expect(verdict(used(6, 3))).toBe('re-extract')
    expect(verdict(used(5, 0))).toBe('watching')
    expect(verdict(used(10, 6))).toBe('watching')
    expect(verdict(used(1_000, 599))).toBe('re-extract')
    expect(reason(used(13, 6))).toBe(
      '6 of 13 uses in 30 days succeeded (46.2 %): under 60 %, of more than 5 uses.',
    )
    expect(reason(used(5, 0))).toContain('it needs more than 5 uses for a verdict')
    expect(reason(used(10, 6))).toContain('neither under 60 % nor over 90 %')
  })

  it('is archive from the thirtieth day without a use', () => {
    const last = (ago: number): Judged => ({ ...used(0, 0), sum: undefined, lastUsed: NOW - ago })
    expect(verdict(last(30 * DAY_MS))).toBe('archive')
    expect(verdict(last(30 * DAY_MS - 1))).toBe('watching')
    expect(verdict(last(-DAY_MS))).toBe('watching')
    expect(reason(last(42 * DAY_MS))).toBe('Last used 42 days ago; the limit is 30 days.')
  })

  it('is none for an unused skill if its folder is new or the history is short', () => {
    expect(verdict(never(30, 30))).toBe('archive')
    expect(verdict(never(29.999, 30))).toBe('watching')
    expect(verdict(never(30, 29.999))).toBe('watching')
    expect(verdict(never(30, null))).toBe('watching')
    expect(reason(never(3, 90))).toBe(
      'Never used, but its folder was changed 3 days ago; the limit is 30 days.',
    )
    expect(reason(never(90, 3))).toBe(
      'It has no recorded use, but the history goes back only 3 days; the limit is 30 days.',
    )
    expect(reason(never(90, 90))).toContain('Never used, and its folder was not changed for 90 days')
  })

  it('counts uses with a known result and states how many are unknown', () => {
    expect(verdict(used(20, 20, 25))).toBe('watching')
    expect(verdict(used(0, 0, 25))).toBe('watching')
    expect(reason(used(0, 0, 25))).toBe('25 uses in 30 days, with unknown results.')
    expect(reason(used(21, 21, 25))).toContain('4 more with an unknown result')
  })

  it('prefers archive over success', () => {
    const rules = { ...RULES, window_days: 365 }
    const long = { ...used(40, 40), lastUsed: NOW - 31 * DAY_MS }
    expect(verdict(long, rules)).toBe('archive')
  })

  it('prefers failure over success if the rules allow both', () => {
    const rules = { ...RULES, validated_over_rate: 0.1, validated_over_uses: 1 }
    expect(verdict(used(10, 5), rules)).toBe('re-extract')
  })

  it('is one of the rules for any counts', () => {
    const counts = fc.integer({ min: 0, max: 500 }).chain((judged) =>
      fc.record({
        judged: fc.constant(judged),
        successes: fc.integer({ min: 0, max: judged }),
        open: fc.nat(50),
      }),
    )
    fc.assert(
      fc.property(counts, ({ judged, successes, open }) => {
        const is = verdict(used(judged, successes, judged + open))
        // In integers, so that nothing is rounded.
        const works = judged > 20 && successes * 10 > judged * 9
        const fails = judged > 5 && successes * 10 < judged * 6
        expect(is).toBe(fails ? 're-extract' : works ? 'validated' : 'watching')
      }),
    )
  })
})
