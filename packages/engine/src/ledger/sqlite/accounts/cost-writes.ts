import type { Statements } from '../statements.ts'
import { type CostFact, noneSpent, SPENT } from './cost-facts.ts'
import { Deltas } from './deltas.ts'
import { ANY, type Names } from './names.ts'
import { scopesOf } from './scopes.ts'

/** Whose costs they are. */
interface Spender {
  readonly account: number
  readonly source: number
  readonly project: number
}

/** A session that was there on an earlier day: it counts where that day is before the span, and all else is with the day's first row. */
const AGAIN = [0, 1, ...noneSpent()]

/** Collects what accounts change in the sums of costs, and keeps what each session took by day. */
export class CostWrites {
  readonly #statements: Statements
  readonly #names: Names
  readonly #sums = new Deltas(
    'account_cost_sums',
    ['kind', 'source', 'project', 'day', 'model', 'name', 'prev'],
    ['present', 'sessions'],
    SPENT,
  )

  constructor(statements: Statements, names: Names) {
    this.#statements = statements
    this.#names = names
  }

  count({ source, project }: Spender, facts: readonly CostFact[], sign: 1 | -1): void {
    for (const { kind, name, model, day, prev, spent } of facts) {
      const [named, by] = [this.#number(name), this.#number(model)]
      const add = (of: string, within: readonly [number, number], called: number) => {
        const key = [of, ...within, day, by, called]
        this.#sums.add([...key, ''], [1, prev === '' ? 1 : 0, ...spent], sign)
        if (prev !== '') this.#sums.add([...key, prev], AGAIN, sign)
      }
      for (const scope of scopesOf(source, project)) add(kind, scope, named)
      if (kind !== 'total') continue
      for (const within of [ANY, project]) add('source', [ANY, within], source)
      for (const within of [ANY, source]) add('project', [within, ANY], project)
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
