import type { AchievementItem } from '@panoptes/schema'
import { type Achievement, type Requirement, TIERS, type TierName } from './achievement.ts'
import type { Aggregated } from './aggregate.ts'
import { criteria, SECRET_CRITERIA, SECRET_DESCRIPTION, shortLabel } from './criteria.ts'
import { type Standing, standing, wayFrom } from './evaluate.ts'
import type { Evidence } from './evidence.ts'
import type { Aggregate } from './metrics.ts'
import { evidenceOf, type Unlock, type Unlocks } from './unlocks.ts'

const SECOND_MS = 1_000

/** The catalogue as it stands, for people. What was unlocked once stays so. */
export function itemsOf(
  catalogue: readonly Achievement[],
  aggregated: Aggregated,
  unlocks: Unlocks,
): AchievementItem[] {
  return catalogue.map((achievement) => {
    const unlock = unlocks.get(achievement.id)
    const now = sticky(achievement, standing(achievement, aggregated.aggregate), unlock)
    if (now.state === 'secret') return secretItem(achievement, now)
    const best = bestOf(aggregated, achievement)
    const item = {
      ...shownOf(achievement, aggregated.aggregate),
      ...now,
      ...(best && { best_session: best }),
    }
    if (!now.unlocked) return item
    const evidence = greater(evidenceOf(achievement, aggregated.evidence), unlock?.evidence)
    return { ...item, ...datesOf(unlock), evidence }
  })
}

function shownOf(achievement: Achievement, values: Aggregate) {
  const { id, name, description, category, kind, icon, secret } = achievement
  const about = { id, name, description, category, kind, icon, ...(secret && { secret }) }
  const counted =
    achievement.kind === 'multi_condition'
      ? { requirements: achievement.requirements.map((one) => partOf(one, values)) }
      : { threshold_metric: achievement.threshold_metric, tiers: [...achievement.tiers] }
  return { ...about, ...counted, criteria: criteria(achievement) }
}

const partOf = ({ metric, gte }: Requirement, values: Aggregate) => ({
  metric,
  gte,
  value: values[metric],
  label: shortLabel(metric),
})

const datesOf = (unlock: Unlock | undefined) => ({
  unlocked_at: unlock ? Math.floor(unlock.unlocked_at / SECOND_MS) : null,
  tier_dates: Object.fromEntries(
    Object.entries(unlock?.tiers ?? {}).map(([tier, at]) => [tier, Math.floor(at / SECOND_MS)]),
  ),
})

/** What is counted today may be less than what was when it was unlocked. */
const greater = (now: Evidence | null, then: Evidence | null | undefined): Evidence | null =>
  then && (now === null || then.value > now.value) ? then : now

function bestOf({ best }: Aggregated, { id }: Achievement): AchievementItem['best_session'] {
  const found = best.get(id)
  return found?.source === undefined ? undefined : { ...found, source: found.source }
}

/** A tier that was held once is held for good, as is the unlock itself; the way goes on from it. */
function sticky(achievement: Achievement, now: Standing, unlock: Unlock | undefined): Standing {
  if (!unlock) return now
  const kept = { ...now, unlocked: true, discovered: true, state: 'unlocked' as const }
  if (achievement.kind === 'multi_condition') return { ...kept, progress_pct: 100 }
  const held = TIERS.findLast((tier) => unlock.tiers[tier] !== undefined) ?? unlock.first_tier
  if (rank(now.tier) >= rank(held)) return kept
  return { ...kept, tier: held, ...wayFrom(achievement.tiers, rank(held), now.progress) }
}

const rank = (tier: TierName | null): number => (tier === null ? -1 : TIERS.indexOf(tier))

/** Neither what it counts nor how much of it is wanted. That Copper is the first tier tells nothing, nor that shares go to a hundred. */
const secretItem = ({ id, category, kind }: Achievement, now: Standing): AchievementItem => ({
  id,
  category,
  kind,
  name: '???',
  description: SECRET_DESCRIPTION,
  icon: 'secret',
  secret: true,
  criteria: SECRET_CRITERIA,
  ...now,
  next_threshold: kind === 'multi_condition' ? now.next_threshold : null,
})
