import type { Statements } from '../statements.ts'
import { type CostFact, SPENT } from './cost-facts.ts'
import { Deltas } from './deltas.ts'
import { ANY, type Names } from './names.ts'
import { scopesOf } from './scopes.ts'

/** Whose costs they are. */
export interface Spender {
  readonly account: number
  readonly source: number
  readonly project: number
}

/** Collects what accounts change in the sums of costs, and keeps what each session took by day. */
export class CostWrites {
  readonly #statements: Statements
  readonly #names: Names
  readonly #sums = new Deltas(
    'account_cost_sums',
    ['kind', 'source', 'project', 'day', 'model', 'name', 'prev'],
    ['sessions', ...SPENT],
  )

  constructor(statements: Statements, names: Names) {
    this.#statements = statements
    this.#names = names
  }

  count({ source, project }: Spender, facts: readonly CostFact[], sign: 1 | -1): void {
    for (const { kind, name, model, day, prev, spent } of facts) {
      const [named, by] = [this.#number(name), this.#number(model)]
      const amounts = [1, ...spent]
      for (const scope of scopesOf(source, project))
        this.#sums.add([kind, ...scope, day, by, named, prev], amounts, sign)
      if (kind !== 'total') continue
      for (const within of [ANY, project])
        this.#sums.add(['source', ANY, within, day, by, source, prev], amounts, sign)
      for (const within of [ANY, source])
        this.#sums.add(['project', within, ANY, day, by, project, prev], amounts, sign)
    }
  }

  /** The rows of one session: few, so they are written anew. */
  replace({ account, source, project }: Spender, facts: readonly CostFact[]): void {
    this.#statements.of('DELETE FROM account_costs WHERE account = ?').run(account)
    const put = this.#statements.of(
      `INSERT INTO account_costs (model, day, account, source, project, ${SPENT.join(', ')})
       VALUES (?, ?, ?, ?, ?, ${SPENT.map(() => '?').join(', ')})`,
    )
    for (const { kind, model, day, spent } of facts)
      if (kind === 'total') put.run(this.#number(model), day, account, source, project, ...spent)
  }

  finish(): void {
    this.#sums.write(this.#statements)
  }

  #number(name: string | null): number {
    return name === null ? ANY : this.#names.give(name)
  }
}
