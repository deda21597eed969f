import type { Achievement, TierName } from './achievement.ts'
import type { Calendar } from './calendar.ts'
import {
  type Aggregate,
  BESTS,
  type BestName,
  type MetricName,
  type SessionValues,
  SUMS,
  zeros,
} from './metrics.ts'
import { isLocal, isModel, providerOf } from './models.ts'

/** What is kept of one session, and what it adds. */
export interface Contribution {
  readonly session_id: string
  /** Which kind of agent it is of. */
  readonly agent: string
  readonly title: string
  /** What the session came through, as its agent says. */
  readonly source: string
  readonly model: string | null
  /** Milliseconds; null where the source does not say. */
  readonly started_at: number | null
  readonly last_at: number | null
  readonly values: SessionValues
  /** Models that it was run with before the one it names now. */
  readonly earlier_models?: readonly string[]
  /** The first of what could not be read in it. */
  readonly skipped?: readonly Skip[]
}

/** Something that could not be read. */
export interface Skip {
  readonly place: string
  readonly reason: string
}

export interface Evidence {
  readonly session_id: string
  readonly title: string
  readonly value: number
  /** Which kind of agent the session is of, unless it is Hermes, whose shape this is. */
  readonly source?: string
}

/** The moment a tier was reached, in milliseconds; `null` names the one of an achievement without tiers. */
export type Reached = ReadonlyMap<TierName | null, number>

export interface Aggregated {
  readonly aggregate: Aggregate
  readonly evidence: Readonly<Partial<Record<BestName, Evidence>>>
  readonly reached: ReadonlyMap<string, Reached>
}

/** Adds up sessions in the order in which they ended, and notes when each tier was reached. */
export function aggregate(
  sessions: readonly Contribution[],
  calendar: Calendar,
  catalogue: readonly Achievement[],
  now: number = Date.now(),
): Aggregated {
  const totals = new Totals(calendar)
  const waiting = catalogue.map((achievement) => new Waiting(achievement))
  const ended = sessions.map((session) => ({ session, at: momentOf(session, now) }))
  for (const { session, at } of ended.sort((a, b) => a.at - b.at)) {
    totals.add(session)
    for (const one of waiting) one.look(totals.values, at)
  }
  return {
    aggregate: totals.values,
    evidence: totals.evidence,
    reached: new Map(waiting.map(({ achievement, reached }) => [achievement.id, reached])),
  }
}

/** A session without a time, or ahead of the clock, counts from now on. */
const momentOf = ({ last_at, started_at }: Contribution, now: number): number =>
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
  readonly evidence: Partial<Record<BestName, Evidence>> = {}
  readonly #calendar: Calendar
  readonly #models = new Set<string>()
  readonly #providers = new Set<string>()
  readonly #evidenceBegan: Partial<Record<BestName, number>> = {}

  constructor(calendar: Calendar) {
    this.#calendar = calendar
    this.values = { ...NO_SUMS }
  }

  add(session: Contribution): void {
    const { session_id, agent, title, model, started_at: began, values: added } = session
    const { values } = this
    values.session_count += 1
    for (const [name, of] of SUM_PAIRS) values[name] += added[of]
    for (const [name, of] of BEST_PAIRS) {
      const value = added[of]
      if (value === 0 || value < values[name]) continue
      // Of equals the one that began last is shown.
      if (value === values[name] && (began ?? 0) < (this.#evidenceBegan[name] ?? 0)) continue
      values[name] = value
      this.evidence[name] = {
        session_id,
        title,
        value,
        ...(agent !== 'hermes' && { source: agent }),
      }
      this.#evidenceBegan[name] = began ?? 0
    }
    const models = [...(session.earlier_models ?? []), model].filter(isModel)
    if (models.some(isLocal)) values.local_model_chat_sessions += 1
    for (const one of models) this.#met(one)
    if (!began) return
    values.weekend_sessions += Number(this.#calendar.isWeekend(began))
    values.night_sessions += Number(this.#calendar.isNight(began))
  }

  #met(model: string): void {
    this.#models.add(model)
    const provider = providerOf(model)
    if (provider) this.#providers.add(provider)
    this.values.distinct_model_count = this.#models.size
    this.values.distinct_provider_count = this.#providers.size
  }
}

/** One achievement on its way through time. */
class Waiting {
  readonly achievement: Achievement
  readonly reached = new Map<TierName | null, number>()
  #tier = 0

  constructor(achievement: Achievement) {
    this.achievement = achievement
  }

  look(values: Aggregate, at: number): void {
    if (this.achievement.kind === 'multi_condition') {
      if (this.reached.size > 0) return
      if (this.achievement.requirements.every(({ metric, gte }) => values[metric] >= gte))
        this.reached.set(null, at)
      return
    }
    const { tiers, threshold_metric: metric } = this.achievement
    for (let tier = tiers[this.#tier]; tier && values[metric] >= tier.threshold; tier = tiers[this.#tier]) {
      this.reached.set(tier.name, at)
      this.#tier += 1
    }
  }
}
