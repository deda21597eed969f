import type { Statements } from '../statements.ts'

/** What stands for every name in a sum. */
export const ANY = 0
/** A name that nothing has. */
const NOBODY = -1

export const UNKNOWN = '–'

export const nameOf = (name: string | null): string => (name === null || name === '' ? UNKNOWN : name)

/** Names are kept once and stand as numbers in rows and sums. A number is never given twice. */
export class Names {
  readonly #statements: Statements
  readonly #numbers = new Map<string, number>()
  readonly #names = new Map<number, string>()

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The number of a name, given to it if it has none. */
  give(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const found = this.find(name)
    if (found !== NOBODY) return found
    const added = this.#statements.of('INSERT INTO account_names (name) VALUES (?)').run(name)
    return this.#keep(name, Number(added.lastInsertRowid))
  }

  find(name: string): number {
    const row = this.#statements.of('SELECT id FROM account_names WHERE name = ?').get(name)
    return row === undefined ? NOBODY : this.#keep(name, Number(row.id))
  }

  of(number: number): string {
    const known = this.#names.get(number)
    if (known !== undefined) return known
    const row = this.#statements.of('SELECT name FROM account_names WHERE id = ?').get(number)
    const name = String(row?.name ?? UNKNOWN)
    this.#names.set(number, name)
    return name
  }

  #keep(name: string, number: number): number {
    this.#numbers.set(name, number)
    return number
  }
}
