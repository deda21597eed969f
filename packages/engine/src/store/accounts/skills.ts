import type { AccountFilter, SkillSum } from '../accounts-port.ts'
import { bucketMiddle, type Durations, findPlace } from '../projections/durations.ts'
import { type Dialect, type QueryGenerator, queryRows, type WantedTimes } from './dialect.ts'
import { NO_CLASS, successCode } from './facts.ts'
import { queryCounts } from './lists.ts'
import { ANY, queryNames, sumScopes } from './names.ts'
import { hasSpan, matchRows, matchSums, resolveScope, type Scope } from './where-clause.ts'

interface Uses {
  uses: number
  judged: number
  successes: number
  readonly durations: Durations
}

export interface TouchedSkill {
  readonly key: readonly [source: number, project: number, skill: number]
  /** The newest time among the added uses. */
  newest: number
  /** A removed use may have been the last one, in which case the one before it has to be looked up. */
  isGone: boolean
}

/** Returns every skill that was ever used in this scope, including skills without a use in the span. */
export function* querySkills(dialect: Dialect, filter: AccountFilter): QueryGenerator<readonly SkillSum[]> {
  const scope = yield* resolveScope(dialect, filter)
  const used = yield* queryUses(scope)
  const ever = hasSpan(scope) ? yield* queryUses({ ...scope, since: undefined, until: undefined }) : used
  const dates = yield* queryDates(scope)
  const near = isAnybody(scope)
    ? used
    : yield* queryUses({ ...scope, source: ANY, project: ANY, accounts: undefined })
  const timed = [...used].map(([skill, { durations, uses }]) => ({
    skill,
    durations,
    rows: near.get(skill)?.uses ?? uses,
  }))
  const times = yield* queryTimes(scope, timed, [0.5, 0.95])
  const names = yield* queryNames(dialect, ever.keys())
  return [...ever]
    .map(([skill, { uses: all_uses }]) => {
      const { uses, judged, successes } = used.get(skill) ?? createUses()
      const [p50_ms = null, p95_ms = null] = times.get(skill) ?? []
      return {
        skill: names.of(skill),
        uses,
        judged,
        successes,
        p50_ms,
        p95_ms,
        all_uses,
        last_used: dates.get(skill) ?? null,
      }
    })
    .sort((a, b) => b.uses - a.uses || b.all_uses - a.all_uses || (a.skill < b.skill ? -1 : 1))
}

const isAnybody = ({ source, project, accounts }: Scope): boolean =>
  source === ANY && project === ANY && accounts === undefined

const createUses = (): Uses => ({ uses: 0, judged: 0, successes: 0, durations: {} })

function* queryUses(scope: Scope): QueryGenerator<Map<number, Uses>> {
  const skills = new Map<number, Uses>()
  const counts = yield* queryCounts('uses', scope, ['skill', 'success', 'class'])
  for (const { skill, success, class: bucket, n } of counts) {
    const sum = skills.get(skill) ?? createUses()
    skills.set(skill, sum)
    sum.uses += n
    if (success !== successCode(null)) sum.judged += n
    if (success === successCode(true)) sum.successes += n
    if (bucket !== NO_CLASS) sum.durations[bucket] = (sum.durations[bucket] ?? 0) + n
  }
  return skills
}

function* queryDates(scope: Scope): QueryGenerator<ReadonlyMap<number, number>> {
  const { sql, values } = scope.accounts === undefined ? matchSums(scope) : matchRows(scope)
  const rows = yield* queryRows(
    scope.accounts === undefined
      ? `SELECT skill, last_used FROM account_skills WHERE ${sql}`
      : `SELECT skill, max(at) AS last_used FROM account_uses WHERE ${sql} GROUP BY skill`,
    values,
  )
  return new Map(rows.map((row) => [Number(row.skill), Number(row.last_used)]))
}

/** One answer reads at most this many uses. */
const MOST_ROWS = 10_000

interface Timed {
  readonly skill: number
  readonly durations: Durations
  /** This many uses have to be read to reach the wanted ones. */
  readonly rows: number
}

type Times = readonly (number | null)[]

/**
 * Returns, for each skill, the duration that each of these shares of its uses does not exceed. The sums tell
 * the class, and the rows tell the exact duration. When there are too many rows, the most used skills get the
 * middle of their class instead.
 */
function* queryTimes(
  scope: Scope,
  skills: readonly Timed[],
  shares: readonly number[],
): QueryGenerator<ReadonlyMap<number, Times>> {
  const placed = skills
    .toSorted((a, b) => a.rows - b.rows)
    .map(({ skill, durations, rows }) => ({
      skill,
      rows,
      places: shares.map((share) => findPlace(durations, share)),
    }))
  const wanted: WantedTimes[] = []
  let left = MOST_ROWS
  for (const { skill, rows, places } of placed) {
    left -= rows
    if (left < 0) break
    const classes = [...new Set(places.flatMap((place) => place?.bucket ?? []))]
    if (classes.length > 0) wanted.push({ skill, classes })
  }
  const found = new Map<string, number[]>()
  for (const { skill, class: bucket, ms } of yield* scope.dialect.times(scope, wanted)) {
    const bucketTimes = found.get(`${skill} ${bucket}`)
    if (bucketTimes === undefined) found.set(`${skill} ${bucket}`, [ms])
    else bucketTimes.push(ms)
  }
  return new Map(
    placed.map(({ skill, places }) => [
      skill,
      places.map(
        (place) => place && (found.get(`${skill} ${place.bucket}`)?.[place.n] ?? bucketMiddle(place.bucket)),
      ),
    ]),
  )
}

/** Tracks when each skill was last used. */
export class SkillDates {
  readonly #touched = new Map<string, TouchedSkill>()

  recordUse(source: number, project: number, skill: number, at: number, sign: 1 | -1): void {
    for (const scope of sumScopes(source, project)) {
      const key = [...scope, skill] as const
      const name = key.join(' ')
      const touched = this.#touched.get(name) ?? { key, newest: -1, isGone: false }
      this.#touched.set(name, touched)
      if (sign === 1) touched.newest = Math.max(touched.newest, at)
      else touched.isGone = true
    }
  }

  /** Call this once, when the rows are written. */
  changes(): readonly TouchedSkill[] {
    const touched = [...this.#touched.values()]
    this.#touched.clear()
    return touched
  }
}
