import type { AccountFilter, SkillSum } from '../accounts-port.ts'
import type { Durations } from '../projections/durations.ts'
import { type Asking, rowsOf } from './asking.ts'
import { countsOf } from './counts.ts'
import type { Dialect } from './dialect.ts'
import { NO_CLASS, successOf } from './facts.ts'
import { ANY, namesOf } from './names.ts'
import { timesOf } from './times.ts'
import { hasSpan, rowsIn, type Scope, scopeOf, sumsIn } from './where.ts'

interface Uses {
  uses: number
  judged: number
  successes: number
  readonly durations: Durations
}

/** Every skill that was ever used in this scope, also those that were not in the span. */
export function* skillsOf(dialect: Dialect, filter: AccountFilter): Asking<readonly SkillSum[]> {
  const scope = yield* scopeOf(dialect, filter)
  const used = yield* usesOf(scope)
  const ever = hasSpan(scope) ? yield* usesOf({ ...scope, since: undefined, until: undefined }) : used
  const dates = yield* datesOf(scope)
  const near = isAnybody(scope)
    ? used
    : yield* usesOf({ ...scope, source: ANY, project: ANY, accounts: undefined })
  const timed = [...used].map(([skill, { durations, uses }]) => ({
    skill,
    durations,
    rows: near.get(skill)?.uses ?? uses,
  }))
  const times = yield* timesOf(scope, timed, [0.5, 0.95])
  const names = yield* namesOf(dialect, ever.keys())
  return [...ever]
    .map(([skill, { uses: all_uses }]) => {
      const { uses, judged, successes } = used.get(skill) ?? noUses()
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

const noUses = (): Uses => ({ uses: 0, judged: 0, successes: 0, durations: {} })

function* usesOf(scope: Scope): Asking<Map<number, Uses>> {
  const skills = new Map<number, Uses>()
  const counts = yield* countsOf('uses', scope, ['skill', 'success', 'class'])
  for (const { skill, success, class: bucket, n } of counts) {
    const sum = skills.get(skill) ?? noUses()
    skills.set(skill, sum)
    sum.uses += n
    if (success !== successOf(null)) sum.judged += n
    if (success === successOf(true)) sum.successes += n
    if (bucket !== NO_CLASS) sum.durations[bucket] = (sum.durations[bucket] ?? 0) + n
  }
  return skills
}

function* datesOf(scope: Scope): Asking<ReadonlyMap<number, number>> {
  const { sql, values } = scope.accounts === undefined ? sumsIn(scope) : rowsIn(scope)
  const rows = yield* rowsOf(
    scope.accounts === undefined
      ? `SELECT skill, last_used FROM account_skills WHERE ${sql}`
      : `SELECT skill, max(at) AS last_used FROM account_uses WHERE ${sql} GROUP BY skill`,
    values,
  )
  return new Map(rows.map((row) => [Number(row.skill), Number(row.last_used)]))
}
