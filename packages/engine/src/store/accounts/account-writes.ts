import type { Account, OutsideSpent } from '@panoptes/schema'
import {
  addAgentTypes,
  type CostFact,
  costFacts,
  createZeroSpent,
  SPENT,
  type TypedCell,
} from './cost-facts.ts'
import { daysOfRow, localDay } from './days.ts'
import { accountFacts, type Fact, KINDS, PLACES, ROW_KINDS, type RowKind } from './facts.ts'
import { ANY, nameOrUnknown, OUTSIDE, sumScopes } from './names.ts'
import { kindWithin } from './outside-costs.ts'
import { SkillDates } from './skills.ts'
import type { AccountRow, AccountStore, Spender, StoredRow } from './store.ts'

const BETWEEN = '\u001f'

interface Change {
  /** The numbers of the key, as text. */
  readonly key: readonly string[]
  readonly amounts: readonly number[]
  /** This is true when a count decreased and may have reached zero. */
  readonly isLess: boolean
}

/**
 * Collects what many rows change in a table of sums, so that each sum is written once. The first amounts are
 * `counts`: a sum whose counts reach zero is deleted.
 */
export class Deltas {
  readonly table: string
  readonly key: readonly string[]
  readonly counts: readonly string[]
  readonly amounts: readonly string[]
  readonly #changed = new Map<string, number[]>()

  constructor(
    table: string,
    key: readonly string[],
    counts: readonly string[],
    more: readonly string[] = [],
  ) {
    this.table = table
    this.key = key
    this.counts = counts
    this.amounts = [...counts, ...more]
  }

  /** A key may consist only of numbers and of words without control characters. */
  add(key: readonly (string | number)[], amounts: readonly number[], sign: 1 | -1): void {
    const name = key.join(BETWEEN)
    const sums = this.#changed.get(name)
    if (sums === undefined)
      this.#changed.set(name, sign === 1 ? [...amounts] : amounts.map((amount) => -amount))
    else for (let n = 0; n < sums.length; n += 1) sums[n] = (sums[n] ?? 0) + sign * (amounts[n] ?? 0)
  }

  /** Returns the collected changes once and clears them, for the caller to write. */
  *changes(): Iterable<Change> {
    for (const [name, amounts] of this.#changed)
      if (amounts.some((amount) => amount !== 0))
        yield {
          key: name.split(BETWEEN),
          amounts,
          isLess: amounts.slice(0, this.counts.length).some((count) => count < 0),
        }
    this.#changed.clear()
  }
}

/** The parts of an account that are stored as JSON instead of rows. */
export interface AccountDoc {
  readonly title: string | null
  readonly project: string | null
  readonly last_at: number | null
  readonly cells: readonly TypedCell[]
  readonly outside?: OutsideSpent | null
}

/**
 * Adds and removes accounts within a transaction. The caller writes the resulting changes of the sums once,
 * at the end.
 */
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
    const previous = this.#store.find(source, session_id)
    const cells = addAgentTypes(account)
    const outside = account.outside ?? null
    const doc = JSON.stringify({ title, project, last_at, cells, outside } satisfies AccountDoc)
    const day = last_at === null ? null : localDay(last_at)
    const number = previous?.number ?? this.#store.next()
    const whence = this.#store.give(source)
    this.#store.save({ number, source, session_id, fingerprint, from, day, doc })
    const facts = accountFacts(account)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, number, whence, facts[kind])
    if (previous?.doc === doc && previous.day === day) return
    if (previous !== undefined) this.#discount(whence, previous)
    const spender = { account: number, source: whence, project: this.#store.give(nameOrUnknown(project)) }
    const costs = costFacts({ cells, outside }, day)
    this.#costs.count(spender, costs, 1)
    this.#costs.replace(spender, costs)
  }

  /** Returns whether the account existed. */
  remove(source: string, session_id: string): boolean {
    const previous = this.#store.find(source, session_id)
    if (previous === undefined) return false
    const from = this.#store.give(source)
    for (const kind of ROW_KINDS) this.#rows.replace(kind, previous.number, from, [])
    this.#discount(from, previous)
    this.#store.drop({ ...previous, source, session_id })
    return true
  }

  get sums(): readonly Deltas[] {
    return [...Object.values(this.#rows.sums), this.#costs.sums]
  }

  get dates(): SkillDates {
    return this.#rows.dates
  }

  #discount(source: number, { number, day, doc }: AccountRow): void {
    const { project, cells, outside } = JSON.parse(doc) as AccountDoc
    const spender = { account: number, source, project: this.#store.give(nameOrUnknown(project)) }
    this.#costs.count(spender, costFacts({ cells, outside }, day), -1)
  }
}

/** Writes the new and changed rows of an account and collects how they change the sums. */
class RowWrites {
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
      const previous = before.get(id)
      before.delete(id)
      if (previous?.doc === doc) continue
      if (previous !== undefined) this.#count(kind, previous, -1)
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
    for (const scope of sumScopes(source, project))
      for (const day of days) this.sums[kind].add([...scope, day, ...kinds], [1], sign)
    if (kind === 'uses' && at !== null) this.dates.recordUse(source, project, Number(kinds[0]), at, sign)
  }
}

/**
 * Marks a session that was already active on an earlier day. It counts only when that day lies before the
 * span; the amounts are stored with the day's first row.
 */
const AGAIN = [0, 1, ...createZeroSpent()]

/** Collects how accounts change the cost sums, and stores each session's costs by day. */
class CostWrites {
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
      for (const scope of sumScopes(source, project)) add(kind, scope, named)
      if (kind !== 'total' && kind !== 'outside' && kind !== 'reported') continue
      for (const within of [ANY, project]) add(kindWithin(kind, 'source'), [ANY, within], source)
      for (const within of [ANY, source]) add(kindWithin(kind, 'project'), [within, ANY], project)
    }
  }

  replace(spender: Spender, facts: readonly CostFact[]): void {
    this.#store.putCosts(
      spender,
      facts.flatMap(({ kind, model, day, spent }) => {
        if (kind === 'total') return { model: this.#number(model), day, spent }
        return kind === 'outside' && model === null ? { model: OUTSIDE, day, spent } : []
      }),
    )
  }

  #number(name: string | null): number {
    return name === null ? ANY : this.#store.give(name)
  }
}
