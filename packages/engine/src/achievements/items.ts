import type { AchievementItem } from '@panoptes/schema'
import { type Achievement, type Requirement, TIERS, type TierName } from './achievement.ts'
import type { Aggregated } from './aggregate.ts'
import { criteria, SECRET_CRITERIA, SECRET_DESCRIPTION, shortLabel } from './criteria.ts'
import { type Standing, standing } from './evaluate.ts'
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
    const now = sticky(standing(achievement, aggregated.aggregate), unlock)
    if (now.state === 'secret') return secretItem(achievement, now)
    const item = { ...shownOf(achievement, aggregated.aggregate), ...now }
    if (!now.unlocked) return item
    const evidence = evidenceOf(achievement, aggregated.evidence) ?? unlock?.evidence ?? null
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

/** A tier that was held once is held for good, as is the unlock itself. */
function sticky(now: Standing, unlock: Unlock | undefined): Standing {
  if (!unlock) return now
  const held = TIERS.findLast((tier) => unlock.tiers[tier] !== undefined) ?? unlock.first_tier
  const tier = rank(now.tier) >= rank(held) ? now.tier : held
  return { ...now, unlocked: true, discovered: true, state: 'unlocked', tier }
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
