import { type Asking, rowsOf } from './asking.ts'
import type { Dialect } from './dialect.ts'

/** What stands for every name in a sum. */
export const ANY = 0
/** A name that nothing has. */
export const NOBODY = -1

const UNKNOWN = '–'

export const nameOf = (name: string | null): string => (name === null || name === '' ? UNKNOWN : name)

/** Names are kept once and stand as numbers in rows and sums. A number is never given twice. */
export function* numbersOf(
  { isNamed }: Dialect,
  names: readonly string[],
): Asking<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const { sql, values } = isNamed(names)
  const rows = yield* rowsOf(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  return new Map(rows.map(({ id, name }) => [String(name), Number(id)]))
}

export function* namesOf(
  { oneOf }: Dialect,
  numbers: Iterable<number>,
): Asking<{ readonly of: (number: number) => string }> {
  const { sql, values } = oneOf('id', [...new Set(numbers)])
  const rows = yield* rowsOf(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), String(name)]))
  return { of: (number) => names.get(number) ?? UNKNOWN }
}
