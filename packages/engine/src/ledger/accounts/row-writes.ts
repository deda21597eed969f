import { daysOfRow } from './days.ts'
import { Deltas } from './deltas.ts'
import { type Fact, KINDS, PLACES, ROW_KINDS, type RowKind } from './facts.ts'
import { scopesOf } from './scopes.ts'
import { SkillDates } from './skill-dates.ts'
import type { AccountStore, StoredRow } from './store.ts'

/** Writes what is new or different of an account's rows, and collects what that changes in the sums. */
export class RowWrites {
  readonly dates = new SkillDates()
  readonly sums: Readonly<Record<RowKind, Deltas>>
  readonly #store: AccountStore

  constructor(store: AccountStore) {
    this.#store = store
    const entries = ROW_KINDS.map((kind) => [
      kind,
      new Deltas(`account_${kind}_sums`, ['source', 'project', 'day', ...KINDS[kind]], ['n']),
    ])
    this.sums = Object.fromEntries(entries)
  }

  replace(kind: RowKind, account: number, source: number, facts: readonly Fact[]): void {
    const before = new Map(this.#store.rows(kind, account))
    for (const [place, fact] of facts.entries()) {
      const id = account * PLACES + place
      const doc = JSON.stringify(fact.doc)
      const known = before.get(id)
      before.delete(id)
      if (known?.doc === doc) continue
      if (known !== undefined) this.#count(kind, known, -1)
      const kinds = fact.kinds.map((each) => (typeof each === 'string' ? this.#store.give(each) : each))
      const row = { at: fact.at, source, project: this.#store.give(fact.project), kinds, doc }
      this.#count(kind, row, 1)
      this.#store.putRow(kind, id, row, fact.doc)
    }
    for (const [id, row] of before) {
      this.#count(kind, row, -1)
      this.#store.dropRow(kind, id)
    }
  }

  #count(kind: RowKind, { at, source, project, kinds }: StoredRow, sign: 1 | -1): void {
    const days = daysOfRow(at)
    for (const scope of scopesOf(source, project))
      for (const day of days) this.sums[kind].add([...scope, day, ...kinds], [1], sign)
    if (kind === 'uses' && at !== null) this.dates.saw(source, project, Number(kinds[0]), at, sign)
  }
}
