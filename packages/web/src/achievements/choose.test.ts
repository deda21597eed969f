import { describe, expect, it } from 'vitest'
import { item, secret, unlockedAt } from './achievements.test-kit.ts'
import {
  categoriesOf,
  choose,
  closestOf,
  highestOf,
  newestOf,
  partOf,
  recentOf,
  tierCounts,
} from './choose.ts'
import { readSearch } from './search.ts'

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

describe('a choice of achievements', () => {
  it('keeps what is of the category and in the state', () => {
    expect(ids(choose(all, { category: 'Vibe Coding' }))).toEqual(['near'])
    expect(ids(choose(all, { state: 'unlocked', sort: 'catalogue' }))).toEqual(['top', 'old', 'raised'])
    expect(ids(choose(all, { state: 'secret' }))).toEqual(['hidden'])
    expect(choose(all, { category: 'Vibe Coding', state: 'secret' })).toEqual([])
  })

  it('begins with what is nearest to its next tier, and ends with what is secret', () => {
    expect(ids(choose(all, {}))).toEqual(['near', 'old', 'raised', 'far', 'top', 'hidden'])
  })

  it('is put in order by the newest tier, by name, or not at all', () => {
    expect(ids(choose(all, { sort: 'newest' })).slice(0, 3)).toEqual(['raised', 'old', 'top'])
    expect(ids(choose(all, { sort: 'name' }))).toEqual(['near', 'far', 'raised', 'old', 'top', 'hidden'])
    expect(ids(choose(all, { sort: 'catalogue' }))).toEqual(ids(all))
  })

  it('does not change what it was made from', () => {
    const before = [...all]
    choose(all, { sort: 'name' })
    expect(all).toEqual(before)
  })
})

describe('the way to the next tier', () => {
  it('is a part of what the tier wants', () => {
    expect(partOf(far)).toBe(0.1)
    expect(partOf(item({ progress: 500 }))).toBe(1)
  })

  it('is over with the highest tier, and unknown of a secret', () => {
    expect(partOf(top)).toBeNull()
    expect(partOf(hidden)).toBeNull()
  })

  it('of what has conditions instead of tiers is over when it is unlocked', () => {
    const {
      tiers: _tiers,
      threshold_metric: _metric,
      ...rest
    } = item({ next_tier: null, next_threshold: 100 })
    expect(partOf({ ...rest, kind: 'multi_condition', progress: 68 })).toBe(0.68)
    expect(partOf({ ...rest, kind: 'multi_condition', progress: 100, unlocked: true })).toBeNull()
  })
})

describe('what is said of all of them', () => {
  it('names the closest one, unless nothing has begun', () => {
    expect(closestOf(all)?.id).toBe('near')
    expect(closestOf([hidden, item({ progress: 0 })])).toBeUndefined()
  })

  it('lists the newest unlocks, and none whose date is not known', () => {
    expect(
      ids(recentOf([...all, unlockedAt('dateless', 0, { unlocked_at: null, tier_dates: {} })], 2)),
    ).toEqual(['raised', 'old'])
    expect(newestOf(raised)).toBe(2_000_000)
    expect(newestOf(far)).toBeNull()
  })

  it('counts tiers, categories and the highest tier', () => {
    expect([...tierCounts(all)]).toEqual([
      ['Copper', 1],
      ['Silver', 1],
      ['Gold', 0],
      ['Diamond', 0],
      ['Olympian', 1],
      [null, 0],
    ])
    expect(highestOf(all)).toBe('Olympian')
    expect(highestOf([far])).toBeNull()
    expect(categoriesOf(all)).toEqual([
      ['Lifestyle', 1],
      ['Agent Autonomy', 4],
      ['Vibe Coding', 1],
    ])
  })
})

describe('the address', () => {
  it('is read as far as it says something that is known', () => {
    expect(readSearch({ source: 'hermes', category: 'Vibe Coding', state: 'secret', sort: 'name' })).toEqual({
      source: 'hermes',
      category: 'Vibe Coding',
      state: 'secret',
      sort: 'name',
    })
    expect(readSearch({ source: 'all', category: 3, state: 'open', sort: 'closest', q: 'x' })).toEqual({})
  })
})
