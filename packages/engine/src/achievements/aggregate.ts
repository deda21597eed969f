import type { Achievement } from './achievement.ts'
import type { Calendar } from './calendar.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { Helped } from './helped.ts'
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
import type { Passed } from './passed.ts'
import { type Reached, Waiting } from './reached.ts'
import type { Base, Seen } from './regrown.ts'
import type { Skip } from './skips.ts'

/** What is kept of one session, and what it adds. */
export interface Contribution {
  readonly session_id: string
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
  readonly passed?: Passed
  /** Where its source numbers what it has. */
  readonly seen?: Seen
  readonly base?: Base
  /** Whose it is; not kept, as it is known by its scope. */
  readonly agent?: string
}

export interface Aggregated {
  readonly aggregate: Aggregate
  readonly evidence: Readonly<Partial<Record<BestName, Evidence | undefined>>>
  readonly reached: ReadonlyMap<string, Reached>
  /** By achievement: the session that did most for it. */
  readonly best: ReadonlyMap<string, Evidence>
}

/** Adds up sessions in the order in which they ended, and notes when each tier was reached and who did most for it. */
export function aggregate(
  sessions: readonly Contribution[],
  calendar: Calendar,
  catalogue: readonly Achievement[],
  now: number = Date.now(),
): Aggregated {
  const totals = new Totals(calendar)
  const waiting = catalogue.map((achievement) => new Waiting(achievement))
  const helped = catalogue.map((achievement) => new Helped(achievement))
  const ended = sessions.map((session) => ({ session, at: momentOf(session, now) }))
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
      // Of equals the one that began last is shown.
      if (value === values[name] && (began ?? 0) < (this.#evidenceBegan[name] ?? 0)) continue
      values[name] = value
      this.evidence[name] = evidenceIn(session, value)
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
