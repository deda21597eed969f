import type { AchievementItem } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import type { AchievementsSearch, Sort } from './search-params.ts'
import { TIERS, type Tier, tierRank } from './tiers.ts'
import { toMilliseconds } from './timestamp.ts'

/** The achievements that match the address, in its order. */
export function choose(
  items: readonly AchievementItem[],
  { category, state, sort }: AchievementsSearch,
): readonly AchievementItem[] {
  return sortItems(
    items.filter(
      (item) =>
        (category === undefined || item.category === category) &&
        (state === undefined || item.state === state),
    ),
    sort ?? 'closest',
  )
}

/** Progress towards the next tier from 0 to 1; null if there is no next tier or the progress is unknown. */
export function progressShare({
  state,
  unlocked,
  tiers,
  next_tier,
  next_threshold,
  progress,
}: AchievementItem): number | null {
  if (state === 'secret' || next_threshold === null || next_threshold <= 0) return null
  if (tiers === undefined ? unlocked : next_tier === null) return null
  return clamp(progress / next_threshold, 0, 1)
}

/** When its newest tier was reached, in milliseconds; null if unknown. */
export function latestUnlock({ unlocked_at, tier_dates }: AchievementItem): number | null {
  const dates = [unlocked_at, ...Object.values(tier_dates ?? {})]
    .map(toMilliseconds)
    .filter((at) => at !== null)
  return dates.length === 0 ? null : Math.max(...dates)
}

const sortItems = (items: readonly AchievementItem[], sort: Sort): readonly AchievementItem[] =>
  sort === 'catalogue' ? items : items.toSorted(orders[sort])

const orders: Readonly<
  Record<Exclude<Sort, 'catalogue'>, (a: AchievementItem, b: AchievementItem) => number>
> = {
  // Achievements without a next tier come after those with one, secret ones last.
  closest: (a, b) => closestRank(b) - closestRank(a),
  newest: (a, b) => (latestUnlock(b) ?? 0) - (latestUnlock(a) ?? 0),
  name: (a, b) =>
    Number(a.state === 'secret') - Number(b.state === 'secret') || a.name.localeCompare(b.name, 'en'),
}

const closestRank = (item: AchievementItem): number => progressShare(item) ?? (item.unlocked ? -1 : -2)

/** The achievement closest to its next tier, if any is in progress. */
export function findClosest(items: readonly AchievementItem[]): AchievementItem | undefined {
  const [first] = sortItems(items, 'closest')
  return first && (progressShare(first) ?? 0) > 0 ? first : undefined
}

export const recentUnlocks = (items: readonly AchievementItem[], most: number): readonly AchievementItem[] =>
  sortItems(
    items.filter((item) => item.unlocked && latestUnlock(item) !== null),
    'newest',
  ).slice(0, most)

/** Counts the unlocked achievements per tier, and those without tiers. */
export function tierCounts(items: readonly AchievementItem[]): ReadonlyMap<Tier | null, number> {
  const unlocked = items.filter((item) => item.unlocked)
  return new Map(
    [...TIERS, null].map((tier) => [tier, unlocked.filter((item) => item.tier === tier).length] as const),
  )
}

export const highestTier = (items: readonly AchievementItem[]): Tier | null =>
  items.reduce<Tier | null>(
    (best, { unlocked, tier }) => (unlocked && tierRank(tier) > tierRank(best) ? tier : best),
    null,
  )

/** Categories with their counts, in catalogue order. */
export function countCategories(items: readonly AchievementItem[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { category } of items) counts.set(category, (counts.get(category) ?? 0) + 1)
  return [...counts]
}
