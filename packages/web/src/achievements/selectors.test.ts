import { describe, expect, it } from 'vitest'
import { item, secret, unlockedAt } from './achievements.test-kit.ts'
import { readSearch } from './search-params.ts'
import {
  choose,
  countCategories,
  findClosest,
  highestTier,
  latestUnlock,
  progressShare,
  recentUnlocks,
  tierCounts,
} from './selectors.ts'

const far = item({ id: 'far', name: 'Bravo', progress: 10 })
const near = item({ id: 'near', name: 'alpha', progress: 97, category: 'Vibe Coding' })
const old = unlockedAt('old', 1_000, { name: 'Delta' })
const raised = unlockedAt('raised', 500, {
  name: 'Charlie',
  tier_dates: { Copper: 500, Silver: 2_000 },
  tier: 'Silver',
})
const top = unlockedAt('top', 800, {
  tier: 'Olympian',
  next_tier: null,
  next_threshold: 300,
  progress: 900,
  name: 'Echo',
})
const hidden = secret('hidden')
const all = [hidden, far, top, old, near, raised]
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

describe('choosing achievements', () => {
  it('filters by category and state', () => {
    expect(ids(choose(all, { category: 'Vibe Coding' }))).toEqual(['near'])
    expect(ids(choose(all, { state: 'unlocked', sort: 'catalogue' }))).toEqual(['top', 'old', 'raised'])
    expect(ids(choose(all, { state: 'secret' }))).toEqual(['hidden'])
    expect(choose(all, { category: 'Vibe Coding', state: 'secret' })).toEqual([])
  })

  it('puts the achievement closest to its next tier first and secret ones last', () => {
    expect(ids(choose(all, {}))).toEqual(['near', 'old', 'raised', 'far', 'top', 'hidden'])
  })

  it('sorts by newest tier, by name or in catalogue order', () => {
    expect(ids(choose(all, { sort: 'newest' })).slice(0, 3)).toEqual(['raised', 'old', 'top'])
    expect(ids(choose(all, { sort: 'name' }))).toEqual(['near', 'far', 'raised', 'old', 'top', 'hidden'])
    expect(ids(choose(all, { sort: 'catalogue' }))).toEqual(ids(all))
  })

  it('does not mutate the given array', () => {
    const before = [...all]
    choose(all, { sort: 'name' })
    expect(all).toEqual(before)
  })
})

describe('progress to the next tier', () => {
  it('is a share of the next threshold, capped at 1', () => {
    expect(progressShare(far)).toBe(0.1)
    expect(progressShare(item({ progress: 500 }))).toBe(1)
  })

  it('is null at the highest tier and for a secret achievement', () => {
    expect(progressShare(top)).toBeNull()
    expect(progressShare(hidden)).toBeNull()
  })

  it('is null once an achievement with conditions is unlocked', () => {
    const {
      tiers: _tiers,
      threshold_metric: _metric,
      ...rest
    } = item({ next_tier: null, next_threshold: 100 })
    expect(progressShare({ ...rest, kind: 'multi_condition', progress: 68 })).toBe(0.68)
    expect(progressShare({ ...rest, kind: 'multi_condition', progress: 100, unlocked: true })).toBeNull()
  })
})

describe('the summary of all achievements', () => {
  it('finds the closest achievement, or none before any progress', () => {
    expect(findClosest(all)?.id).toBe('near')
    expect(findClosest([hidden, item({ progress: 0 })])).toBeUndefined()
  })

  it('lists the newest unlocks and leaves out those without a date', () => {
    expect(
      ids(recentUnlocks([...all, unlockedAt('dateless', 0, { unlocked_at: null, tier_dates: {} })], 2)),
    ).toEqual(['raised', 'old'])
    expect(latestUnlock(raised)).toBe(2_000_000)
    expect(latestUnlock(far)).toBeNull()
  })

  it('counts unlocks per tier and per category and finds the highest tier', () => {
    expect([...tierCounts(all)]).toEqual([
      ['Copper', 1],
      ['Silver', 1],
      ['Gold', 0],
      ['Diamond', 0],
      ['Olympian', 1],
      [null, 0],
    ])
    expect(highestTier(all)).toBe('Olympian')
    expect(highestTier([far])).toBeNull()
    expect(countCategories(all)).toEqual([
      ['Lifestyle', 1],
      ['Agent Autonomy', 4],
      ['Vibe Coding', 1],
    ])
  })
})

describe('the address of the achievements page', () => {
  it('keeps valid parameters and drops the rest', () => {
    expect(readSearch({ source: 'hermes', category: 'Vibe Coding', state: 'secret', sort: 'name' })).toEqual({
      source: 'hermes',
      category: 'Vibe Coding',
      state: 'secret',
      sort: 'name',
    })
    expect(readSearch({ source: 'all', category: 3, state: 'open', sort: 'closest', q: 'x' })).toEqual({})
  })
})
