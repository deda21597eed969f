import type { AchievementItem } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { dateText, progressText } from './format.ts'

it('formats a timestamp as a day, and an invalid one as unknown', () => {
  expect(dateText(1_767_225_600)).toBe('2026-01-01')
  for (const odd of [null, undefined, 0, 1e14, -1e14, Number.NaN, Number.POSITIVE_INFINITY])
    expect(dateText(odd)).toBe('at an unknown time')
})

it('formats the progress of an achievement to its next tier', () => {
  const item = (more: Partial<AchievementItem>) =>
    progressText({
      state: 'discovered',
      kind: 'lifetime',
      progress: 1_200,
      progress_pct: 40,
      next_tier: 'Silver',
      next_threshold: 3_000,
      ...more,
    } as AchievementItem)
  expect(item({})).toBe('1,200 / 3,000 to Silver')
  expect(item({ next_tier: null, next_threshold: null })).toBe('1,200, the highest tier')
  expect(item({ kind: 'multi_condition' })).toBe('40 %')
  expect(item({ kind: 'multi_condition', state: 'unlocked' })).toBe('done')
  expect(item({ state: 'secret' })).toBe('–')
})
