import type { SQLInputValue } from 'node:sqlite'
import type { Statements } from '../statements.ts'

type Key = readonly (string | number)[]

interface Delta {
  readonly key: Key
  readonly amounts: number[]
}

/** What many rows change in a table of sums, so that each sum is written once. The first amount counts: a sum of none goes. */
export class Deltas {
  readonly #table: string
  readonly #key: readonly string[]
  readonly #amounts: readonly string[]
  readonly #changed = new Map<string, Delta>()

  constructor(table: string, key: readonly string[], amounts: readonly string[]) {
    this.#table = table
    this.#key = key
    this.#amounts = amounts
  }

  add(key: Key, amounts: readonly number[], sign: 1 | -1): void {
    const name = key.join('\u001f')
    const known = this.#changed.get(name)
    if (known === undefined) {
      this.#changed.set(name, { key, amounts: amounts.map((amount) => sign * amount) })
      return
    }
    for (const [n, amount] of amounts.entries()) known.amounts[n] = (known.amounts[n] ?? 0) + sign * amount
  }

  write(statements: Statements): void {
    const columns = [...this.#key, ...this.#amounts]
    const add = statements.of(
      `INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (${this.#key.join(', ')})
       DO UPDATE SET ${this.#amounts.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
    )
    const drop = statements.of(
      `DELETE FROM ${this.#table} WHERE ${this.#key.map((name) => `${name} = ?`).join(' AND ')} AND ${this.#amounts[0]} = 0`,
    )
    for (const { key, amounts } of this.#changed.values()) {
      if (amounts.every((amount) => amount === 0)) continue
      add.run(...(key as SQLInputValue[]), ...amounts)
      if ((amounts[0] ?? 0) < 0) drop.run(...(key as SQLInputValue[]))
    }
    this.#changed.clear()
  }
}
