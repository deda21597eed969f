import type { Achievement } from './achievement.ts'
import type { Contribution } from './aggregate.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { BESTS, type BestName, type MetricName, type SessionValue, SUMS } from './metrics.ts'

/** What a metric takes of one session; nothing of those that only count sessions or models. */
const takenBy = (metric: MetricName): SessionValue | undefined => BESTS[metric as BestName] ?? SUMS[metric]

/** The session that did most for one achievement; of equals the one that began last. */
export class Helped {
  readonly id: string
  best: Evidence | undefined
  readonly #parts: readonly { readonly value: SessionValue; readonly of: number }[]
  readonly #isShare: boolean
  #most = 0
  #began = 0

  constructor(achievement: Achievement) {
    this.id = achievement.id
    this.#isShare = achievement.kind === 'multi_condition'
    const wanted =
      achievement.kind === 'multi_condition'
        ? achievement.requirements.map(({ metric, gte }) => ({ metric, of: gte }))
        : [{ metric: achievement.threshold_metric, of: 1 }]
    this.#parts = wanted.flatMap(({ metric, of }) => {
      const value = takenBy(metric)
      return value === undefined ? [] : [{ value, of }]
    })
  }

  look(session: Contribution): void {
    const most = this.#isShare ? this.#shareOf(session) : this.#countOf(session)
    if (most === 0 || most < this.#most) return
    const began = session.started_at ?? 0
    if (most === this.#most && began < this.#began) return
    const evidence = evidenceIn(session, most)
    if (evidence === undefined) return
    this.best = evidence
    this.#most = most
    this.#began = began
  }

  #countOf({ values }: Contribution): number {
    const [part] = this.#parts
    return part ? values[part.value] : 0
  }

  /** Of several conditions: how much of the way this session alone would be, in hundredths. */
  #shareOf({ values }: Contribution): number {
    let sum = 0
    for (const { value, of } of this.#parts) sum += Math.min(1, values[value] / of)
    return Math.floor((100 * sum) / this.#parts.length)
  }
}
