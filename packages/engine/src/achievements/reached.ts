import type { Achievement, TierName } from './achievement.ts'
import type { Contribution } from './aggregate.ts'
import { type Aggregate, BESTS, type BestName, type MetricName } from './metrics.ts'
import { passedAt } from './passed.ts'

/** The moment a tier was reached, in milliseconds; `null` names the one of an achievement without tiers. */
export type Reached = ReadonlyMap<TierName | null, number>

/** One achievement on its way through time. */
export class Waiting {
  readonly achievement: Achievement
  readonly #steps: readonly Step[]

  constructor(achievement: Achievement) {
    this.achievement = achievement
    this.#steps =
      achievement.kind === 'multi_condition'
        ? achievement.requirements.map(({ metric, gte }) => new Step(null, metric, gte))
        : achievement.tiers.map(
            ({ name, threshold }) => new Step(name, achievement.threshold_metric, threshold),
          )
  }

  /** `values` are those with the session, which counts from `end` on. */
  look(values: Aggregate, session: Contribution, end: number): void {
    for (const step of this.#steps) step.look(values, session, end)
  }

  reached(): Reached {
    if (this.achievement.kind !== 'multi_condition')
      return new Map(this.#steps.flatMap(({ tier, at }) => (at === undefined ? [] : [[tier, at]])))
    const dates = this.#steps.map(({ at }) => at ?? Number.POSITIVE_INFINITY)
    const last = Math.max(...dates)
    return last === Number.POSITIVE_INFINITY ? new Map() : new Map([[null, last]])
  }
}

class Step {
  readonly tier: TierName | null
  at: number | undefined
  readonly #metric: MetricName
  readonly #threshold: number

  constructor(tier: TierName | null, metric: MetricName, threshold: number) {
    this.tier = tier
    this.#metric = metric
    this.#threshold = threshold
  }

  look(values: Aggregate, session: Contribution, end: number): void {
    if (values[this.#metric] < this.#threshold) return
    const value = BESTS[this.#metric as BestName]
    if (value === undefined) {
      this.at ??= end
      return
    }
    // One that ended later may have come there before.
    if (session.values[value] < this.#threshold) return
    const at = Math.min(passedAt(session, value, this.#threshold) ?? end, end)
    this.at = Math.min(this.at ?? at, at)
  }
}
