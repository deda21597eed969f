import type { Statements } from '../statements.ts'

const BETWEEN = '\u001f'

/** What many rows change in a table of sums, so that each sum is written once. `counts` are the first amounts: a sum of none goes. */
export class Deltas {
  readonly #table: string
  readonly #key: readonly string[]
  readonly #counts: readonly string[]
  readonly #amounts: readonly string[]
  readonly #changed = new Map<string, number[]>()

  constructor(
    table: string,
    key: readonly string[],
    counts: readonly string[],
    more: readonly string[] = [],
  ) {
    this.#table = table
    this.#key = key
    this.#counts = counts
    this.#amounts = [...counts, ...more]
  }

  /** Only numbers and words without control characters are keys. */
  add(key: readonly (string | number)[], amounts: readonly number[], sign: 1 | -1): void {
    const name = key.join(BETWEEN)
    const sums = this.#changed.get(name)
    if (sums === undefined)
      this.#changed.set(name, sign === 1 ? [...amounts] : amounts.map((amount) => -amount))
    else for (let n = 0; n < sums.length; n += 1) sums[n] = (sums[n] ?? 0) + sign * (amounts[n] ?? 0)
  }

  write(statements: Statements): void {
    const columns = [...this.#key, ...this.#amounts]
    const add = statements.of(
      `INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (${this.#key.join(', ')})
       DO UPDATE SET ${this.#amounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    )
    const isNone = [...this.#key.map((name) => `${name} = ?`), ...this.#counts.map((name) => `${name} = 0`)]
    const drop = statements.of(`DELETE FROM ${this.#table} WHERE ${isNone.join(' AND ')}`)
    for (const [name, amounts] of this.#changed) {
      if (amounts.every((amount) => amount === 0)) continue
      // A column of numbers takes their text for them.
      const key = name.split(BETWEEN)
      add.run(...key, ...amounts)
      if (amounts.slice(0, this.#counts.length).some((count) => count < 0)) drop.run(...key)
    }
    this.#changed.clear()
  }
}
