import type { AchievementItem } from '@panoptes/schema'
import { msOf } from './moment.ts'
import type { AchievementsSearch, Sort } from './search.ts'
import { rankOf, TIERS, type Tier } from './tiers.ts'

/** Those that the address asks for, in its order. */
export function choose(
  items: readonly AchievementItem[],
  { category, state, sort }: AchievementsSearch,
): readonly AchievementItem[] {
  return sorted(
    items.filter(
      (item) =>
        (category === undefined || item.category === category) &&
        (state === undefined || item.state === state),
    ),
    sort ?? 'closest',
  )
}

/** How much of the way to the next tier is done, from 0 to 1; null where there is no way, or none that is known. */
export function partOf({
  state,
  unlocked,
  tiers,
  next_tier,
  next_threshold,
  progress,
}: AchievementItem): number | null {
  if (state === 'secret' || next_threshold === null || next_threshold <= 0) return null
  if (tiers === undefined ? unlocked : next_tier === null) return null
  return Math.min(1, Math.max(0, progress / next_threshold))
}

/** When it last came up, by its newest tier, in milliseconds; null where that is not known. */
export function newestOf({ unlocked_at, tier_dates }: AchievementItem): number | null {
  const dates = [unlocked_at, ...Object.values(tier_dates ?? {})].map(msOf).filter((at) => at !== null)
  return dates.length === 0 ? null : Math.max(...dates)
}

const sorted = (items: readonly AchievementItem[], sort: Sort): readonly AchievementItem[] =>
  sort === 'catalogue' ? items : items.toSorted(orders[sort])

const orders: Readonly<
  Record<Exclude<Sort, 'catalogue'>, (a: AchievementItem, b: AchievementItem) => number>
> = {
  // What has no way left comes after all that has, the secret last.
  closest: (a, b) => wayOf(b) - wayOf(a),
  newest: (a, b) => (newestOf(b) ?? 0) - (newestOf(a) ?? 0),
  name: (a, b) =>
    Number(a.state === 'secret') - Number(b.state === 'secret') || a.name.localeCompare(b.name, 'en'),
}

const wayOf = (item: AchievementItem): number => partOf(item) ?? (item.unlocked ? -1 : -2)

/** The one that is nearest to its next tier, if it is under way at all. */
export function closestOf(items: readonly AchievementItem[]): AchievementItem | undefined {
  const [first] = sorted(items, 'closest')
  return first && (partOf(first) ?? 0) > 0 ? first : undefined
}

export const recentOf = (items: readonly AchievementItem[], most: number): readonly AchievementItem[] =>
  sorted(
    items.filter((item) => item.unlocked && newestOf(item) !== null),
    'newest',
  ).slice(0, most)

/** How many are unlocked at each tier, and without tiers. */
export function tierCounts(items: readonly AchievementItem[]): ReadonlyMap<Tier | null, number> {
  const unlocked = items.filter((item) => item.unlocked)
  return new Map(
    [...TIERS, null].map((tier) => [tier, unlocked.filter((item) => item.tier === tier).length] as const),
  )
}

export const highestOf = (items: readonly AchievementItem[]): Tier | null =>
  items.reduce<Tier | null>(
    (best, { unlocked, tier }) => (unlocked && rankOf(tier) > rankOf(best) ? tier : best),
    null,
  )

/** Categories with how many are in each, in the order of the catalogue. */
export function categoriesOf(items: readonly AchievementItem[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { category } of items) counts.set(category, (counts.get(category) ?? 0) + 1)
  return [...counts]
}
