import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRows } from './dialect.ts'

/** Stands for every name in a sum. */
export const ANY = 0
/** A name that no row has. */
export const NOBODY = -1
/** Stands in place of a model for what a session's client spent outside the transcript. */
export const OUTSIDE = -2

const UNKNOWN = '–'

const OF_ROWS = {
  agents: ['source', 'project', 'type', 'model', 'outcome'],
  claims: ['source', 'project', 'model', 'tier', 'verdict'],
  uses: ['source', 'project', 'skill'],
  followups: ['source', 'project'],
}

const used = [
  ...['source', 'project', 'model', 'name'].map(
    (column) => `SELECT ${column} FROM account_cost_sums WHERE day = ''`,
  ),
  ...Object.entries(OF_ROWS).flatMap(([kind, columns]) =>
    columns.map((column) => `SELECT ${column} FROM account_${kind}_sums WHERE day = -1`),
  ),
]

/**
 * Deletes names that nothing refers to any more. It is enough to look at the sums over all days, since they
 * contain every name in use.
 */
export const DROP_NAMES = `DELETE FROM account_names WHERE id NOT IN (${used.join(' UNION ')})`

export const nameOrUnknown = (name: string | null): string => (name === null || name === '' ? UNKNOWN : name)

/**
 * Looks up the numbers that stand for names in rows and sums. A name is stored once, and its number is never
 * reused.
 */
export function* queryNumbers(
  { isNamed }: Dialect,
  names: readonly string[],
): QueryGenerator<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const { sql, values } = isNamed(names)
  const rows = yield* queryRows(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  return new Map(rows.map(({ id, name }) => [String(name), Number(id)]))
}

export function* queryNames(
  { isIn }: Dialect,
  numbers: Iterable<number>,
): QueryGenerator<{ readonly of: (number: number) => string }> {
  const { sql, values } = isIn('id', [...new Set(numbers)])
  const rows = yield* queryRows(`SELECT id, name FROM account_names WHERE ${sql}`, values)
  const names = new Map(rows.map(({ id, name }) => [Number(id), String(name)]))
  return { of: (number) => names.get(number) ?? UNKNOWN }
}

/**
 * Sums are stored for everything, for each source, for each project, and for each project within each source.
 */
export const sumScopes = (source: number, project: number): readonly (readonly [number, number])[] => [
  [ANY, ANY],
  [source, ANY],
  [ANY, project],
  [source, project],
]
