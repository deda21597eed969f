import type { AchievementItem } from '@panoptes/schema'

/** When it last came up, by its newest tier, in seconds; null where that is not known. */
export function newestOf({ unlocked_at, tier_dates }: AchievementItem): number | null {
  const dates = [unlocked_at, ...Object.values(tier_dates ?? {})].filter((at) => Number.isFinite(at))
  return dates.length === 0 ? null : Math.max(...(dates as number[]))
}

/** What is unlocked, the newest first; of equals as the catalogue has them. */
export const latestOf = (items: readonly AchievementItem[], most: number): readonly AchievementItem[] =>
  items
    .filter(({ unlocked }) => unlocked)
    .sort((a, b) => (newestOf(b) ?? 0) - (newestOf(a) ?? 0))
    .slice(0, most)
