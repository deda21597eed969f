import type { Statements } from '../statements.ts'
import { ALL_DAYS, dayNumber } from './days.ts'
import { Deltas } from './deltas.ts'
import { type Fact, KINDS, PLACES, ROW_KINDS, type RowKind } from './facts.ts'
import type { Names } from './names.ts'
import { scopesOf } from './scopes.ts'
import type { SkillDates } from './skill-dates.ts'

interface Stored {
  readonly at: number | null
  readonly source: number
  readonly project: number
  readonly kinds: readonly number[]
}

/** Writes what is new or different of an account's rows, and collects what that changes in the sums. */
export class RowWrites {
  readonly #statements: Statements
  readonly #names: Names
  readonly #dates: SkillDates
  readonly #deltas: Readonly<Record<RowKind, Deltas>>

  constructor(statements: Statements, names: Names, dates: SkillDates) {
    this.#statements = statements
    this.#names = names
    this.#dates = dates
    const entries = ROW_KINDS.map((kind) => [
      kind,
      new Deltas(`account_${kind}_sums`, ['source', 'project', 'day', ...KINDS[kind]], ['n']),
    ])
    this.#deltas = Object.fromEntries(entries)
  }

  replace(kind: RowKind, account: number, source: number, facts: readonly Fact[]): void {
    const columns = ['id', 'at', 'source', 'project', ...KINDS[kind], 'doc']
    const put = this.#statements.of(
      `INSERT OR REPLACE INTO account_${kind} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    const before = this.#rowsOf(kind, account)
    for (const [place, fact] of facts.entries()) {
      const id = account * PLACES + place
      const doc = JSON.stringify(fact.doc)
      const known = before.get(id)
      before.delete(id)
      if (known?.doc === doc) continue
      if (known !== undefined) this.#count(kind, known, -1)
      const kinds = fact.kinds.map((each) => (typeof each === 'string' ? this.#names.give(each) : each))
      const stored = { at: fact.at, source, project: this.#names.give(fact.project), kinds }
      this.#count(kind, stored, 1)
      put.run(id, stored.at, source, stored.project, ...kinds, doc)
    }
    const drop = this.#statements.of(`DELETE FROM account_${kind} WHERE id = ?`)
    for (const [id, row] of before) {
      this.#count(kind, row, -1)
      drop.run(id)
    }
  }

  finish(): void {
    for (const deltas of Object.values(this.#deltas)) deltas.write(this.#statements)
  }

  #rowsOf(kind: RowKind, account: number): Map<number, Stored & { readonly doc: string }> {
    const rows = this.#statements
      .of(`SELECT * FROM account_${kind} WHERE id >= ? AND id < ?`)
      .all(account * PLACES, (account + 1) * PLACES)
    return new Map(
      rows.map((row) => [
        Number(row.id),
        {
          at: row.at as number | null,
          source: Number(row.source),
          project: Number(row.project),
          kinds: KINDS[kind].map((name) => Number(row[name])),
          doc: String(row.doc),
        },
      ]),
    )
  }

  #count(kind: RowKind, { at, source, project, kinds }: Stored, sign: 1 | -1): void {
    const days = at === null ? [ALL_DAYS] : [ALL_DAYS, dayNumber(at)]
    for (const scope of scopesOf(source, project))
      for (const day of days) this.#deltas[kind].add([...scope, day, ...kinds], [1], sign)
    if (kind === 'uses' && at !== null) this.#dates.saw(source, project, Number(kinds[0]), at, sign)
  }
}
