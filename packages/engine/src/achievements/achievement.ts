import type { MetricName } from './metrics.ts'

export const TIERS = ['Copper', 'Silver', 'Gold', 'Diamond', 'Olympian'] as const
export type TierName = (typeof TIERS)[number]

export const CATEGORIES = [
  'Agent Autonomy',
  'Debugging Chaos',
  'Vibe Coding',
  'Hermes Native',
  'Research/Web',
  'Tool Mastery',
  'Model Lore',
  'Lifestyle',
] as const

export interface Tier {
  readonly name: TierName
  readonly threshold: number
}

export interface Requirement {
  readonly metric: MetricName
  readonly gte: number
}

interface About {
  readonly id: string
  readonly name: string
  readonly category: (typeof CATEGORIES)[number]
  readonly icon: string
  readonly description: string
  /** Hidden until there is some progress. */
  readonly secret?: true
}

export type Achievement =
  | (About & {
      readonly kind: 'lifetime' | 'best_session'
      readonly threshold_metric: MetricName
      readonly tiers: readonly Tier[]
    })
  | (About & { readonly kind: 'multi_condition'; readonly requirements: readonly Requirement[] })

type Thresholds = readonly [number, number, number, number, number]

/**
 * A metric that starts with `max_` is the best of one session; any other is summed over all
 * sessions.
 */
export function tiered(about: About, metric: MetricName, thresholds: Thresholds): Achievement {
  return {
    ...about,
    kind: metric.startsWith('max_') ? 'best_session' : 'lifetime',
    threshold_metric: metric,
    tiers: thresholds.map((threshold, index) => ({ name: TIERS[index] as TierName, threshold })),
  }
}

export function together(about: About, required: Partial<Record<MetricName, number>>): Achievement {
  const requirements = Object.entries(required).map(([metric, gte]) => ({
    metric: metric as MetricName,
    gte,
  }))
  return { ...about, kind: 'multi_condition', requirements }
}
