import { type Durations, middleOf, placeOf } from '../projections/durations.ts'
import type { Asking } from './asking.ts'
import type { WantedTimes } from './dialect.ts'
import type { Scope } from './where.ts'

/** So many uses are looked at for one answer. */
const MOST_ROWS = 10_000

interface Timed {
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
export function* timesOf(
  scope: Scope,
  skills: readonly Timed[],
  shares: readonly number[],
): Asking<ReadonlyMap<number, Times>> {
  const placed = skills
    .toSorted((a, b) => a.rows - b.rows)
    .map(({ skill, durations, rows }) => ({
      skill,
      rows,
      places: shares.map((share) => placeOf(durations, share)),
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
    const known = found.get(`${skill} ${bucket}`)
    if (known === undefined) found.set(`${skill} ${bucket}`, [ms])
    else known.push(ms)
  }
  return new Map(
    placed.map(({ skill, places }) => [
      skill,
      places.map(
        (place) => place && (found.get(`${skill} ${place.bucket}`)?.[place.n] ?? middleOf(place.bucket)),
      ),
    ]),
  )
}
