import type { Achievement, TierName } from './achievement.ts'
import type { Contribution } from './aggregate.ts'
import { type Aggregate, BESTS, type BestName, type MetricName, type SessionValue } from './metrics.ts'
import { passedAt } from './passed.ts'

/** The moment a tier was reached, in milliseconds; `null` names the one of an achievement without tiers. */
export type Reached = ReadonlyMap<TierName | null, number>

/** One achievement on its way through time. */
export class Waiting {
  readonly achievement: Achievement
  readonly #steps: readonly Step[]
  #first = 0

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
    for (let at = this.#first; at < this.#steps.length; at += 1) {
      const step = this.#steps[at] as Step
      const isThere = step.look(values, session, end)
      // Tiers rise: where one is not reached, the next is not either, and of a sum it is reached once.
      if (step.tier === null) continue
      if (!isThere) return
      if (step.isSum) this.#first = at + 1
    }
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
  readonly #value: SessionValue | undefined

  constructor(tier: TierName | null, metric: MetricName, threshold: number) {
    this.tier = tier
    this.#metric = metric
    this.#threshold = threshold
    this.#value = BESTS[metric as BestName]
  }

  get isSum(): boolean {
    return this.#value === undefined
  }

  /** Whether it is reached, of what is asked of one session by this one. */
  look(values: Aggregate, session: Contribution, end: number): boolean {
    if (this.#value === undefined) {
      if (values[this.#metric] < this.#threshold) return false
      this.at ??= end
      return true
    }
    // One that ended later may have come there before.
    if (session.values[this.#value] < this.#threshold) return false
    const at = Math.min(passedAt(session, this.#value, this.#threshold) ?? end, end)
    this.at = Math.min(this.at ?? at, at)
    return true
  }
}
