import type { Account } from '@panoptes/schema'
import type { CostFact } from './cost-facts.ts'
import type { Fact, RowKind } from './facts.ts'

/** Holds what the store knows about an account before it changes it. */
export interface AccountRow {
  readonly number: number
  readonly day: string | null
  readonly doc: string
}

export interface StoredAccount
  extends AccountRow,
    Pick<Account, 'source' | 'session_id' | 'fingerprint' | 'from'> {}

/** A row with its words replaced by numbers, and its kinds in the order of the columns. */
export interface StoredRow {
  readonly at: number | null
  readonly source: number
  readonly project: number
  readonly kinds: readonly number[]
  readonly doc: string
}

/** The session that costs belong to. */
export interface Spender {
  readonly account: number
  readonly source: number
  readonly project: number
}

export interface StoredCost extends Pick<CostFact, 'day' | 'spent'> {
  readonly model: number
}

/** The tables that accounts are written to. Every read sees all earlier writes. */
export interface AccountStore {
  /** Returns the number of a name, and assigns one if it has none. */
  readonly give: (name: string) => number
  readonly find: (source: string, session_id: string) => AccountRow | undefined
  /** Returns a number that no account uses. */
  readonly next: () => number
  readonly save: (account: StoredAccount) => void
  /** Deletes the account and its costs. */
  readonly drop: (account: AccountRow & Pick<Account, 'source' | 'session_id'>) => void
  readonly rows: (kind: RowKind, account: number) => ReadonlyMap<number, StoredRow>
  readonly putRow: (kind: RowKind, id: number, row: StoredRow, doc: Fact['doc']) => void
  readonly dropRow: (kind: RowKind, id: number) => void
  /** Replaces the costs of one session. They are few, so they are written as a whole. */
  readonly putCosts: (spender: Spender, costs: readonly StoredCost[]) => void
}
