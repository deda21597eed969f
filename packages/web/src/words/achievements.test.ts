import { expect, it } from 'vitest'
import { achievementsWords as w } from './achievements.ts'

it('groups the digits of the reading progress', () => {
  expect(w.reading(1_234, 5_025)).toBe('Read 1,234 of 5,025 sessions')
  expect(w.reading(0, 1)).toBe('Read 0 of 1 session')
  expect(w.sub(1, null)).toBe('1 session read')
  expect(w.sub(1_284, w.counted('2m 10s ago'))).toBe('1,284 sessions read · counted 2m 10s ago')
})

it('shows the progress to the next tier', () => {
  expect(w.hero.headline(34, 20, 6)).toBe('34 unlocked, 20 discovered, 6 secret')
  expect(w.hero.toGo(58, 'Gold')).toBe('to Gold, 58 to go.')
  expect(w.progress(1_942, 2_000, 'Gold')).toBe('1,942 of 2,000 for Gold')
  expect(w.progress(9_000, 8_000, null)).toBe('9,000 of 8,000')
})

it('uses the singular for one thing', () => {
  expect(w.skipped(1)).toBe('Panoptes could not read 1 item, so it is not counted.')
  expect(w.skipped(12)).toBe('Panoptes could not read 12 items, so they are not counted.')
  expect(w.news.many(4)).toBe('Unlocked 4 achievements')
  expect(w.reset.done(1)).toBe('Removed 1 unlock. Recounting')
})
