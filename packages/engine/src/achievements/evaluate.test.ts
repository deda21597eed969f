import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Achievement, tiered, together } from './achievement.ts'
import { buildItems, standing } from './achievement-items.ts'
import { aggregate } from './aggregate.ts'
import { CATALOGUE } from './catalogue.ts'
import type { Aggregate, MetricName } from './metrics.ts'

const NEVER = { zone: 'UTC', isWeekend: () => false, isNight: () => false }
const nothing = aggregate([], NEVER, CATALOGUE)
const withValues = (values: Partial<Record<MetricName, number>>): Aggregate => ({
  ...nothing.aggregate,
  ...values,
})

const about = { id: 'x', name: 'X', category: 'Lifestyle', icon: 'moon', description: '' } as const
const nights = tiered(about, 'night_sessions', [25, 75, 200, 600, 1_500])
const pair = together(about, { git_events: 50, max_tool_calls_in_session: 500 })
const at = (achievement: Achievement, values: Partial<Record<MetricName, number>>) =>
  standing(achievement, withValues(values))

describe('tier', () => {
  it('is reached at its threshold, and the progress bar starts over', () => {
    expect(at(nights, { night_sessions: 24 })).toMatchObject({
      tier: null,
      next_tier: 'Copper',
      progress_pct: 96,
    })
    expect(at(nights, { night_sessions: 25 })).toMatchObject({
      tier: 'Copper',
      next_tier: 'Silver',
      progress_pct: 0,
    })
    expect(at(nights, { night_sessions: 74 })).toMatchObject({
      tier: 'Copper',
      next_threshold: 75,
      progress_pct: 98,
    })
  })

  it('shows a percentage as Hermes does, dividing before rounding down', () => {
    const tests = tiered(about, 'test_events', [100, 300, 800, 2_400, 6_000])
    const shares = [29, 57, 58, 59].map((test_events) => at(tests, { test_events }).progress_pct)
    expect(shares).toEqual([28, 56, 57, 59])
  })

  it('is the last one if all are reached', () => {
    const all = { tier: 'Olympian', next_tier: null, next_threshold: 1_500, progress_pct: 100 }
    expect(at(nights, { night_sessions: 1_500 })).toMatchObject(all)
    expect(at(nights, { night_sessions: 9_999 })).toMatchObject({ ...all, progress: 9_999 })
  })

  it('never falls while the count rises, and shows 100 only at the top', () => {
    fc.assert(
      fc.property(fc.nat(3_000), fc.nat(3_000), (less, more) => {
        const [low, high] = [less, less + more].map((night_sessions) => at(nights, { night_sessions }))
        const rank = (tier: string | null) =>
          ['Copper', 'Silver', 'Gold', 'Diamond', 'Olympian'].indexOf(tier ?? '')
        expect(rank(high?.tier ?? null)).toBeGreaterThanOrEqual(rank(low?.tier ?? null))
        expect(low?.progress_pct === 100).toBe(less >= 1_500)
      }),
    )
  })
})

describe('several conditions', () => {
  it('unlock together, without a tier', () => {
    expect(at(pair, { git_events: 50, max_tool_calls_in_session: 499 })).toMatchObject({
      unlocked: false,
      progress: 99,
      progress_pct: 99,
      tier: null,
      next_threshold: 100,
    })
    expect(at(pair, { git_events: 900, max_tool_calls_in_session: 500 })).toMatchObject({
      unlocked: true,
      progress: 100,
      tier: null,
    })
    expect(at(pair, { git_events: 25 })).toMatchObject({ progress: 25 })
  })

  it('are discovered with the first progress on any of them, even below 1 %', () => {
    const hidden = together({ ...about, secret: true }, { git_events: 50, total_errors: 4_000 })
    expect(at(hidden, {})).toMatchObject({ state: 'secret', discovered: false })
    expect(at(hidden, { total_errors: 1 })).toMatchObject({
      state: 'discovered',
      discovered: true,
      progress: 0,
    })
  })
})

describe('condition', () => {
  it('is shown with its progress', () => {
    const values = { ...nothing, aggregate: withValues({ git_events: 12 }) }
    expect(buildItems([pair], values, new Map())[0]?.requirements).toEqual([
      { metric: 'git_events', gte: 50, value: 12, label: 'git' },
      { metric: 'max_tool_calls_in_session', gte: 500, value: 0, label: 'calls' },
    ])
  })
})

describe('catalogue', () => {
  it('has sixty achievements with unique ids, eight of them secret', () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(60)
    expect(CATALOGUE.filter(({ secret }) => secret)).toHaveLength(8)
  })

  it('hides the metric and the threshold of an undiscovered secret', () => {
    const items = buildItems(CATALOGUE, nothing, new Map())
    const secrets = items.filter(({ state }) => state === 'secret')
    expect(secrets).toHaveLength(8)
    for (const item of secrets) {
      const achievement = CATALOGUE.find(({ id }) => id === item.id)
      const told = JSON.stringify({ ...item, id: '' })
      const shown =
        item.kind === 'multi_condition'
          ? { next_tier: null, next_threshold: 100 }
          : { next_tier: 'Copper', next_threshold: null }
      expect(item).toMatchObject({ name: '???', icon: 'secret', ...shown })
      if (achievement?.kind === 'multi_condition')
        for (const { metric } of achievement.requirements) expect(told).not.toContain(metric)
      else if (achievement) {
        expect(told).not.toContain(achievement.threshold_metric)
        for (const { threshold } of achievement.tiers) expect(told).not.toContain(`${threshold}`)
      }
    }
  })

  it('continues from the reached tier, even if less is counted now', () => {
    const evidence = { session_id: 'gone', title: 'Gone', value: 1_300 }
    const held = (tiers: object) =>
      new Map([['x', { unlocked_at: 5_000, first_tier: 'Copper', evidence, tiers } as const]])
    const calls = tiered(about, 'max_tool_calls_in_session', [200, 500, 1_200, 3_000, 8_000])
    const values = {
      ...nothing,
      aggregate: withValues({ max_tool_calls_in_session: 61 }),
      evidence: { max_tool_calls_in_session: { session_id: 'now', title: 'Now', value: 61 } },
    }
    expect(buildItems([calls], values, held({ Copper: 5_000, Gold: 9_000 }))[0]).toMatchObject({
      tier: 'Gold',
      progress: 61,
      next_tier: 'Diamond',
      next_threshold: 3_000,
      progress_pct: 0,
      evidence,
    })
    const more = { ...values, aggregate: withValues({ max_tool_calls_in_session: 2_100 }) }
    expect(buildItems([calls], more, held({ Copper: 5_000 }))[0]).toMatchObject({
      tier: 'Gold',
      progress_pct: 50,
    })
    expect(buildItems([calls], values, held({ Olympian: 9_000 }))[0]).toMatchObject({
      tier: 'Olympian',
      next_tier: null,
      next_threshold: 8_000,
      progress_pct: 100,
    })
    expect(buildItems([pair], nothing, held({}))[0]).toMatchObject({ unlocked: true, progress_pct: 100 })
  })

  it('keeps unlocks and their highest tier', () => {
    const unlock = {
      unlocked_at: 5_000,
      first_tier: 'Copper',
      evidence: null,
      tiers: { Copper: 5_000, Gold: 9_000 },
    } as const
    const [item] = buildItems([nights], nothing, new Map([['x', unlock]]))
    expect(item).toMatchObject({
      state: 'unlocked',
      tier: 'Gold',
      unlocked_at: 5,
      tier_dates: { Copper: 5, Gold: 9 },
    })
  })
})
