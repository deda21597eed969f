import { type CostFact, noneSpent, SPENT } from './cost-facts.ts'
import { Deltas } from './deltas.ts'
import { ANY } from './names.ts'
import { scopesOf } from './scopes.ts'
import type { AccountStore, Spender } from './store.ts'

/** A session that was there on an earlier day: it counts where that day is before the span, and all else is with the day's first row. */
const AGAIN = [0, 1, ...noneSpent()]

/** Collects what accounts change in the sums of costs, and keeps what each session took by day. */
export class CostWrites {
  readonly sums = new Deltas(
    'account_cost_sums',
    ['kind', 'source', 'project', 'day', 'model', 'name', 'prev'],
    ['present', 'sessions'],
    SPENT,
  )
  readonly #store: AccountStore

  constructor(store: AccountStore) {
    this.#store = store
  }

  count({ source, project }: Spender, facts: readonly CostFact[], sign: 1 | -1): void {
    for (const { kind, name, model, day, prev, spent } of facts) {
      const [named, by] = [this.#number(name), this.#number(model)]
      const add = (of: string, within: readonly [number, number], called: number) => {
        const key = [of, ...within, day, by, called]
        this.sums.add([...key, ''], [1, prev === '' ? 1 : 0, ...spent], sign)
        if (prev !== '') this.sums.add([...key, prev], AGAIN, sign)
      }
      for (const scope of scopesOf(source, project)) add(kind, scope, named)
      if (kind !== 'total') continue
      for (const within of [ANY, project]) add('source', [ANY, within], source)
      for (const within of [ANY, source]) add('project', [within, ANY], project)
    }
  }

  replace(spender: Spender, facts: readonly CostFact[]): void {
    const totals = facts.filter(({ kind }) => kind === 'total')
    this.#store.putCosts(
      spender,
      totals.map(({ model, day, spent }) => ({ model: this.#number(model), day, spent })),
    )
  }

  #number(name: string | null): number {
    return name === null ? ANY : this.#store.give(name)
  }
}
