import type { Account } from '@panoptes/schema'
import type { Statements } from '../statements.ts'
import { costFacts, type TypedCell, typedCells } from './cost-facts.ts'
import { CostWrites } from './cost-writes.ts'
import { localDay } from './days.ts'
import { factsOf, ROW_KINDS } from './facts.ts'
import { Names, nameOf } from './names.ts'
import { RowWrites } from './row-writes.ts'
import { SkillDates } from './skill-dates.ts'

/** What is stored of an account beside its rows, as JSON. */
export interface AccountDoc {
  readonly title: string | null
  readonly project: string | null
  readonly last_at: number | null
  readonly cells: readonly TypedCell[]
}

type Known = { readonly number: number; readonly day: string | null; readonly doc: string }

/** Within a transaction: accounts in and out, with the sums of them all written once at the end. */
export class AccountWrites {
  readonly #statements: Statements
  readonly #names: Names
  readonly #dates = new SkillDates()
  readonly #rows: RowWrites
  readonly #costs: CostWrites

  constructor(statements: Statements) {
    this.#statements = statements
    this.#names = new Names(this.#statements)
    this.#rows = new RowWrites(this.#statements, this.#names, this.#dates)
    this.#costs = new CostWrites(this.#statements, this.#names)
  }

  put(account: Account): void {
    const { source, session_id, fingerprint, from, title, project, last_at } = account
    const known = this.#known(source, session_id)
    const cells = typedCells(account)
    const doc = JSON.stringify({ title, project, last_at, cells } satisfies AccountDoc)
    const day = last_at === null ? null : localDay(last_at)
    const number = known?.number ?? this.#next()
    const from_ = this.#names.give(source)
    this.#statements
      .of(
        `INSERT INTO accounts (number, source, session_id, fingerprint, made_of, day, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (number) DO UPDATE SET fingerprint = excluded.fingerprint, made_of = excluded.made_of, day = excluded.day, doc = excluded.doc`,
      )
      .run(number, source, session_id, fingerprint, from, day, doc)
    const facts = factsOf(account)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, number, from_, facts[kind])
    if (known?.doc === doc && known.day === day) return
    if (known !== undefined) this.#discount(from_, known)
    const spender = { account: number, source: from_, project: this.#names.give(nameOf(project)) }
    const costs = costFacts(cells, day)
    this.#costs.count(spender, costs, 1)
    this.#costs.replace(spender, costs)
  }

  /** Answers whether there was one. */
  remove(source: string, session_id: string): boolean {
    const known = this.#known(source, session_id)
    if (known === undefined) return false
    const from = this.#names.give(source)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, known.number, from, [])
    this.#discount(from, known)
    this.#statements.of('DELETE FROM account_costs WHERE account = ?').run(known.number)
    this.#statements.of('DELETE FROM accounts WHERE number = ?').run(known.number)
    return true
  }

  finish(): void {
    this.#rows.finish()
    this.#dates.write(this.#statements)
    this.#costs.finish()
  }

  #known(source: string, session_id: string): Known | undefined {
    return this.#statements
      .of('SELECT number, day, doc FROM accounts WHERE source = ? AND session_id = ?')
      .get(source, session_id) as Known | undefined
  }

  #next(): number {
    return Number(
      this.#statements.of('SELECT coalesce(max(number), 0) + 1 AS next FROM accounts').get()?.next,
    )
  }

  #discount(source: number, { number, day, doc }: Known): void {
    const { project, cells } = JSON.parse(doc) as AccountDoc
    const spender = { account: number, source, project: this.#names.give(nameOf(project)) }
    this.#costs.count(spender, costFacts(cells, day), -1)
  }
}
