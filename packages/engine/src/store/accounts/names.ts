import type { Dialect } from './dialect.ts'
import { type Asking, queryRows } from './query-generator.ts'

/** Stands for every name in a sum. */
export const ANY = 0
/** A name that no row has. */
export const NOBODY = -1
/** Stands in place of a model for what a session's client spent outside the transcript. */
export const OUTSIDE = -2

const UNKNOWN = '–'

export const nameOrUnknown = (name: string | null): string => (name === null || name === '' ? UNKNOWN : name)

/**
 * Looks up the numbers that stand for names in rows and sums. A name is stored once, and its number is never
 * reused.
 */
export function* queryNumbers(
  { isNamed }: Dialect,
  names: readonly string[],
): Asking<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const { sql, values } = isNamed(names)
  const rows = yield* queryRows(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  return new Map(rows.map(({ id, name }) => [String(name), Number(id)]))
}

export function* queryNames(
  { isIn }: Dialect,
  numbers: Iterable<number>,
): Asking<{ readonly of: (number: number) => string }> {
  const { sql, values } = isIn('id', [...new Set(numbers)])
  const rows = yield* queryRows(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), String(name)]))
  return { of: (number) => names.get(number) ?? UNKNOWN }
}
