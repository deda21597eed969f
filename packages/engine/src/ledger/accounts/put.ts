import type { Account } from '@panoptes/schema'
import { costFacts, type TypedCell, typedCells } from './cost-facts.ts'
import { CostWrites } from './cost-writes.ts'
import { localDay } from './days.ts'
import type { Deltas } from './deltas.ts'
import { factsOf, ROW_KINDS } from './facts.ts'
import { nameOf } from './names.ts'
import { RowWrites } from './row-writes.ts'
import type { SkillDates } from './skill-dates.ts'
import type { AccountStore, Known } from './store.ts'

/** What is stored of an account beside its rows, as JSON. */
export interface AccountDoc {
  readonly title: string | null
  readonly project: string | null
  readonly last_at: number | null
  readonly cells: readonly TypedCell[]
}

/** Within a transaction: accounts in and out. What that changes in the sums is to be written once at the end. */
export class AccountWrites {
  readonly #store: AccountStore
  readonly #rows: RowWrites
  readonly #costs: CostWrites

  constructor(store: AccountStore) {
    this.#store = store
    this.#rows = new RowWrites(store)
    this.#costs = new CostWrites(store)
  }

  put(account: Account): void {
    const { source, session_id, fingerprint, from, title, project, last_at } = account
    const known = this.#store.known(source, session_id)
    const cells = typedCells(account)
    const doc = JSON.stringify({ title, project, last_at, cells } satisfies AccountDoc)
    const day = last_at === null ? null : localDay(last_at)
    const number = known?.number ?? this.#store.next()
    const whence = this.#store.give(source)
    this.#store.save({ number, source, session_id, fingerprint, from, day, doc })
    const facts = factsOf(account)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, number, whence, facts[kind])
    if (known?.doc === doc && known.day === day) return
    if (known !== undefined) this.#discount(whence, known)
    const spender = { account: number, source: whence, project: this.#store.give(nameOf(project)) }
    const costs = costFacts(cells, day)
    this.#costs.count(spender, costs, 1)
    this.#costs.replace(spender, costs)
  }

  /** Answers whether there was one. */
  remove(source: string, session_id: string): boolean {
    const known = this.#store.known(source, session_id)
    if (known === undefined) return false
    const from = this.#store.give(source)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, known.number, from, [])
    this.#discount(from, known)
    this.#store.drop({ ...known, source, session_id })
    return true
  }

  get sums(): readonly Deltas[] {
    return [...Object.values(this.#rows.sums), this.#costs.sums]
  }

  get dates(): SkillDates {
    return this.#rows.dates
  }

  #discount(source: number, { number, day, doc }: Known): void {
    const { project, cells } = JSON.parse(doc) as AccountDoc
    const spender = { account: number, source, project: this.#store.give(nameOf(project)) }
    this.#costs.count(spender, costFacts(cells, day), -1)
  }
}
