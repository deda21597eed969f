import type { Achievement, Tier, TierName } from './achievement.ts'
import type { Aggregate, MetricName } from './metrics.ts'

export interface Standing {
  readonly unlocked: boolean
  readonly discovered: boolean
  readonly state: 'unlocked' | 'discovered' | 'secret'
  readonly tier: TierName | null
  readonly progress: number
  readonly next_tier: TierName | null
  readonly next_threshold: number
  readonly progress_pct: number
}

/** How far an achievement has come. */
export function standing(achievement: Achievement, aggregate: Aggregate): Standing {
  return achievement.kind === 'multi_condition'
    ? ofRequirements(achievement, aggregate)
    : ofTiers(achievement, metricOf(aggregate, achievement.threshold_metric))
}

const metricOf = (aggregate: Aggregate, metric: MetricName): number => Math.trunc(aggregate[metric])

function ofTiers(
  achievement: Achievement & { readonly kind: 'lifetime' | 'best_session' },
  progress: number,
): Standing {
  const { tiers } = achievement
  const at = tiers.findLastIndex((tier) => tier.threshold <= progress)
  const held = tiers[at]
  return {
    ...stateOf(achievement, held !== undefined, progress),
    tier: held?.name ?? null,
    progress,
    ...wayFrom(tiers, at, progress),
  }
}

/** The way from the tier at a place to the next; -1 is before the first. */
export function wayFrom(tiers: readonly Tier[], at: number, progress: number) {
  const next = tiers[at + 1]
  const from = tiers[at]?.threshold ?? 0
  return {
    next_tier: next?.name ?? null,
    next_threshold: (next ?? tiers.at(-1))?.threshold ?? 0,
    // Divided first, as Hermes does: 1,392 of 2,400 is 57, not 58.
    progress_pct: next ? clamp(Math.floor(((progress - from) / (next.threshold - from)) * 100)) : 100,
  }
}

function ofRequirements(
  achievement: Achievement & { readonly kind: 'multi_condition' },
  aggregate: Aggregate,
): Standing {
  const { requirements } = achievement
  const values = requirements.map(({ metric }) => metricOf(aggregate, metric))
  const parts = requirements.map(({ gte }, at) => Math.min(1, (values[at] ?? 0) / gte))
  const unlocked = requirements.every(({ metric, gte }) => metricOf(aggregate, metric) >= gte)
  const progress = Math.floor(100 * (parts.reduce((sum, part) => sum + part, 0) / parts.length))
  return {
    ...stateOf(achievement, unlocked, Math.max(...values)),
    tier: null,
    progress,
    next_tier: null,
    next_threshold: 100,
    progress_pct: unlocked ? 100 : clamp(progress),
  }
}

const clamp = (pct: number): number => Math.max(0, Math.min(99, pct))

function stateOf(achievement: Achievement, unlocked: boolean, counted: number) {
  const discovered = counted > 0 || !achievement.secret
  const state = unlocked ? ('unlocked' as const) : discovered ? ('discovered' as const) : ('secret' as const)
  return { unlocked, discovered, state }
}
