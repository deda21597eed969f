import { expect, it } from 'vitest'
import { unlockedAt } from './achievements.test-kit.ts'
import { createNews } from './news.ts'

it('names the achievement and its tier, if it has tiers', () => {
  const news = createNews()
  expect(news('all', [unlockedAt('Patch Wizard', 1)], null)).toEqual(['Unlocked Patch Wizard, Copper'])
  expect(news('all', [unlockedAt('Full Send', 1, { tier: null })], 'all')).toEqual(['Unlocked Full Send'])
})

it('combines four or more unlocks into one sentence', () => {
  const many = ['a', 'b', 'c', 'd'].map((id) => unlockedAt(id, 1))
  expect(createNews()('all', many, null)).toEqual(['Unlocked 4 achievements'])
  expect(createNews()('all', many.slice(1), null)).toHaveLength(3)
})

it('announces an unlock of two views once within a minute, and a new tier again', () => {
  let now = 0
  const news = createNews(() => now)
  const one = [unlockedAt('a', 1)]
  expect(news('all', one, null)).toHaveLength(1)
  expect(news('hermes', one, null)).toEqual([])
  expect(news('all', [unlockedAt('a', 2, { tier: 'Silver' })], null)).toEqual(['Unlocked a, Silver'])
  now += 61_000
  expect(news('hermes', one, null)).toHaveLength(1)
})

it('names the source when the unlock belongs to the other view', () => {
  const one = [unlockedAt('Patch Wizard', 1)]
  expect(createNews()('all', one, 'hermes')).toEqual(['Unlocked Patch Wizard, Copper (All sources)'])
  expect(createNews()('hermes', one, 'all')).toEqual(['Unlocked Patch Wizard, Copper (Hermes only)'])
})
