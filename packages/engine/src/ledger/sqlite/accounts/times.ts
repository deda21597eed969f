import { type Durations, middleOf, placeOf } from '../../projections/durations.ts'
import type { Statements } from '../statements.ts'
import { allOf, equals, rowsWithin, type Scope } from './where.ts'

/** So many uses are looked at for one answer. */
const MOST_ROWS = 10_000

export interface Timed {
  readonly skill: number
  readonly durations: Durations
  /** How many uses lie on the way to those that are meant. */
  readonly rows: number
}

type Times = readonly (number | null)[]

/**
 * For each skill the times that these shares of its uses do not exceed. In which class they lie is known from the sums, the time itself
 * from the rows; where these are too many, those of the skills that are used most are the middles of their classes.
 */
export function timesOf(
  statements: Statements,
  scope: Scope,
  skills: readonly Timed[],
  shares: readonly number[],
): ReadonlyMap<number, Times> {
  const times = new Map<number, Times>()
  let left = MOST_ROWS
  for (const { skill, durations, rows } of skills.toSorted((a, b) => a.rows - b.rows)) {
    left -= rows
    const places = shares.map((share) => placeOf(durations, share))
    const known = left < 0 ? undefined : timesIn(statements, scope, skill, places)
    times.set(
      skill,
      places.map((place) => place && (known?.get(place.bucket)?.[place.n] ?? middleOf(place.bucket))),
    )
  }
  return times
}

/** The times of these classes, the shortest first. */
function timesIn(
  statements: Statements,
  scope: Scope,
  skill: number,
  places: readonly ({ readonly bucket: number } | null)[],
): ReadonlyMap<number, readonly number[]> {
  const buckets = [...new Set(places.flatMap((place) => place?.bucket ?? []))]
  if (buckets.length === 0) return new Map()
  const { sql, values } = allOf(equals('skill', skill), rowsWithin(scope), {
    sql: `class IN (${buckets.map(() => '?').join(', ')})`,
    values: buckets,
  })
  const rows = statements
    .of(`SELECT class, doc ->> '$.duration_ms' AS ms FROM account_uses WHERE ${sql} ORDER BY ms`)
    .all(...values)
  const times = new Map<number, number[]>()
  for (const row of rows) {
    const known = times.get(Number(row.class)) ?? []
    known.push(Number(row.ms))
    times.set(Number(row.class), known)
  }
  return times
}
