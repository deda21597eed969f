import type { Achievement, TierName } from './achievement.ts'
import type { Calendar } from './calendar.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import {
  type Aggregate,
  BESTS,
  type BestName,
  type MetricName,
  type SessionValue,
  type SessionValues,
  SUMS,
  zeros,
} from './metrics.ts'
import { findProvider, isLocal, isModel } from './models.ts'
import type { Base, Seen } from './session-baseline.ts'
import type { Skip } from './skips.ts'
import { type Passed, passedAt } from './threshold-times.ts'

/** What is stored of one session, and what it contributes. */
export interface Contribution {
  readonly session_id: string
  readonly title: string
  /** The channel of the session, as its agent reports it. */
  readonly source: string
  readonly model: string | null
  /** Milliseconds; null if the source does not report it. */
  readonly started_at: number | null
  readonly last_at: number | null
  readonly values: SessionValues
  /** Models it used before the current one. */
  readonly earlier_models?: readonly string[]
  /** The first unreadable parts. */
  readonly skipped?: readonly Skip[]
  readonly passed?: Passed
  /** Present only if the source numbers its rows. */
  readonly seen?: Seen
  readonly base?: Base
  /** The source of the session; not stored, because its scope determines it. */
  readonly agent?: string
}

export interface Aggregated {
  readonly aggregate: Aggregate
  readonly evidence: Readonly<Partial<Record<BestName, Evidence | undefined>>>
  readonly reached: ReadonlyMap<string, Reached>
  /** Maps an achievement to the session that contributed most. */
  readonly best: ReadonlyMap<string, Evidence>
}

/**
 * Sums sessions in the order they ended, and records when each tier was reached and which session
 * contributed most.
 */
export function aggregate(
  sessions: readonly Contribution[],
  calendar: Calendar,
  catalogue: readonly Achievement[],
  now: number = Date.now(),
): Aggregated {
  const totals = new Totals(calendar)
  const waiting = catalogue.map((achievement) => new Waiting(achievement))
  const helped = catalogue.map((achievement) => new Helped(achievement))
  const ended = sessions.map((session) => ({ session, at: sessionTime(session, now) }))
  for (const { session, at } of ended.sort((a, b) => a.at - b.at)) {
    totals.add(session)
    for (const one of waiting) one.look(totals.values, session, at)
    for (const one of helped) one.look(session)
  }
  return {
    aggregate: totals.values,
    evidence: totals.evidence,
    reached: new Map(waiting.map((one) => [one.achievement.id, one.reached()])),
    best: new Map(helped.flatMap(({ id, best }) => (best ? [[id, best]] : []))),
  }
}

/** A session without a time, or with one in the future, counts from now on. */
const sessionTime = ({ last_at, started_at }: Contribution, now: number): number =>
  Math.min(last_at ?? started_at ?? now, now)

const SUM_PAIRS = Object.entries(SUMS) as readonly (readonly [MetricName, keyof SessionValues])[]
const BEST_PAIRS = Object.entries(BESTS) as readonly (readonly [BestName, keyof SessionValues])[]
const LIVED = ['session_count', 'local_model_chat_sessions', 'weekend_sessions', 'night_sessions'] as const
const DISTINCT = ['distinct_model_count', 'distinct_provider_count'] as const

const NO_SUMS = zeros<MetricName>([
  ...SUM_PAIRS.map(([name]) => name),
  ...BEST_PAIRS.map(([name]) => name),
  ...LIVED,
  ...DISTINCT,
])

class Totals {
  readonly values: Record<MetricName, number>
  readonly evidence: Partial<Record<BestName, Evidence | undefined>> = {}
  readonly #calendar: Calendar
  readonly #models = new Set<string>()
  readonly #providers = new Set<string>()
  readonly #evidenceBegan: Partial<Record<BestName, number>> = {}

  constructor(calendar: Calendar) {
    this.#calendar = calendar
    this.values = { ...NO_SUMS }
  }

  add(session: Contribution): void {
    const { model, started_at: began, values: added } = session
    const { values } = this
    values.session_count += 1
    for (const [name, of] of SUM_PAIRS) values[name] += added[of]
    for (const [name, of] of BEST_PAIRS) {
      const value = added[of]
      if (value === 0 || value < values[name]) continue
      // Among equals, the session that began last is shown.
      if (value === values[name] && (began ?? 0) < (this.#evidenceBegan[name] ?? 0)) continue
      values[name] = value
      this.evidence[name] = evidenceIn(session, value)
      this.#evidenceBegan[name] = began ?? 0
    }
    const models = [...(session.earlier_models ?? []), model].filter(isModel)
    if (models.some(isLocal)) values.local_model_chat_sessions += 1
    for (const one of models) this.#addModel(one)
    if (!began) return
    values.weekend_sessions += Number(this.#calendar.isWeekend(began))
    values.night_sessions += Number(this.#calendar.isNight(began))
  }

  #addModel(model: string): void {
    this.#models.add(model)
    const provider = findProvider(model)
    if (provider) this.#providers.add(provider)
    this.values.distinct_model_count = this.#models.size
    this.values.distinct_provider_count = this.#providers.size
  }
}

/**
 * Returns the session value behind a metric; undefined for metrics that only count sessions or
 * models.
 */
const takenBy = (metric: MetricName): SessionValue | undefined => BESTS[metric as BestName] ?? SUMS[metric]

/** The session that contributed most to one achievement; among equals the one that began last. */
class Helped {
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
    const most = this.#isShare ? this.#progressShare(session) : this.#count(session)
    if (most === 0 || most < this.#most) return
    const began = session.started_at ?? 0
    if (most === this.#most && began < this.#began) return
    const evidence = evidenceIn(session, most)
    if (evidence === undefined) return
    this.best = evidence
    this.#most = most
    this.#began = began
  }

  #count({ values }: Contribution): number {
    const [part] = this.#parts
    return part ? values[part.value] : 0
  }

  /** Returns the progress in percent that this session alone would make towards several conditions. */
  #progressShare({ values }: Contribution): number {
    let sum = 0
    for (const { value, of } of this.#parts) sum += Math.min(1, values[value] / of)
    return Math.floor((100 * sum) / this.#parts.length)
  }
}

/**
 * When each tier was reached, in milliseconds; the key is `null` for an achievement without tiers.
 */
type Reached = ReadonlyMap<TierName | null, number>

/** Follows one achievement through time. */
class Waiting {
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

  /** `values` includes the session, which counts from `end` on. */
  look(values: Aggregate, session: Contribution, end: number): void {
    for (let at = this.#first; at < this.#steps.length; at += 1) {
      const step = this.#steps[at] as Step
      const isThere = step.look(values, session, end)
      // Tiers ascend: if one is not reached, neither is the next, and a sum reaches each only once.
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

  /** Returns whether it is reached; for the best of one session, by this session. */
  look(values: Aggregate, session: Contribution, end: number): boolean {
    if (this.#value === undefined) {
      if (values[this.#metric] < this.#threshold) return false
      this.at ??= end
      return true
    }
    // A session that ended later may have reached it earlier.
    if (session.values[this.#value] < this.#threshold) return false
    const at = Math.min(passedAt(session, this.#value, this.#threshold) ?? end, end)
    this.at = Math.min(this.at ?? at, at)
    return true
  }
}
