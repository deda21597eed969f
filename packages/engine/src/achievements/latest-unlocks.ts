import type { AchievementItem } from '@panoptes/schema'

/** Returns when an achievement last reached a tier, in seconds; null if unknown. */
export function newestUnlock({ unlocked_at, tier_dates }: AchievementItem): number | null {
  const dates = [unlocked_at, ...Object.values(tier_dates ?? {})].filter((at) => Number.isFinite(at))
  return dates.length === 0 ? null : Math.max(...(dates as number[]))
}

/** Returns the unlocked items, newest first; equals in catalogue order. */
export const latestUnlocks = (items: readonly AchievementItem[], most: number): readonly AchievementItem[] =>
  items
    .filter(({ unlocked }) => unlocked)
    .sort((a, b) => (newestUnlock(b) ?? 0) - (newestUnlock(a) ?? 0))
    .slice(0, most)
