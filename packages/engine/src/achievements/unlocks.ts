import type { Achievement, TierName } from './achievement.ts'
import type { Aggregated } from './aggregate.ts'
import type { Evidence } from './evidence.ts'
import type { BestName } from './metrics.ts'

/** An unlock is permanent, even if later counts are lower. Times are in milliseconds. */
export interface Unlock {
  readonly unlocked_at: number
  readonly first_tier: TierName | null
  readonly evidence: Evidence | null
  /** When each tier was reached. */
  readonly tiers: Readonly<Partial<Record<TierName, number>>>
}

export type Unlocks = ReadonlyMap<string, Unlock>

/** Returns the current unlocks: earlier ones unchanged, plus those reached since. */
export function mergeUnlocks(
  catalogue: readonly Achievement[],
  { reached, evidence }: Aggregated,
  before: Unlocks,
): Unlocks {
  const now = new Map(before)
  for (const achievement of catalogue) {
    const dates = reached.get(achievement.id)
    if (!dates || dates.size === 0) continue
    const previous = before.get(achievement.id)
    const tiers = { ...tierDates(dates), ...previous?.tiers }
    if (previous) {
      if (Object.keys(tiers).length > Object.keys(previous.tiers).length)
        now.set(achievement.id, { ...previous, tiers })
      continue
    }
    const [first] = dates
    if (!first) continue
    now.set(achievement.id, {
      unlocked_at: first[1],
      first_tier: first[0],
      evidence: unlockEvidence(achievement, evidence),
      tiers,
    })
  }
  return now
}

const tierDates = (dates: ReadonlyMap<TierName | null, number>): Partial<Record<TierName, number>> =>
  Object.fromEntries([...dates].flatMap(([tier, at]) => (tier === null ? [] : [[tier, at]])))

export const unlockEvidence = (achievement: Achievement, found: Aggregated['evidence']): Evidence | null =>
  achievement.kind === 'best_session' ? (found[achievement.threshold_metric as BestName] ?? null) : null
