import type { Account } from '@panoptes/schema'
import type { CostFact } from './cost-facts.ts'
import type { Fact, RowKind } from './facts.ts'

/** What is known of an account that is to be changed. */
export interface Known {
  readonly number: number
  readonly day: string | null
  readonly doc: string
}

export interface StoredAccount
  extends Known,
    Pick<Account, 'source' | 'session_id' | 'fingerprint' | 'from'> {}

/** A row with its words as numbers, kinds in the order of the columns. */
export interface StoredRow {
  readonly at: number | null
  readonly source: number
  readonly project: number
  readonly kinds: readonly number[]
  readonly doc: string
}

/** Whose costs they are. */
export interface Spender {
  readonly account: number
  readonly source: number
  readonly project: number
}

export interface StoredCost extends Pick<CostFact, 'day' | 'spent'> {
  readonly model: number
}

/** Where accounts are written to: what it answers is true of all that was written before. */
export interface AccountStore {
  /** The number of a name, given to it if it has none. */
  readonly give: (name: string) => number
  readonly known: (source: string, session_id: string) => Known | undefined
  /** A number that no account has. */
  readonly next: () => number
  readonly save: (account: StoredAccount) => void
  /** The account itself and its costs. */
  readonly drop: (account: Known & Pick<Account, 'source' | 'session_id'>) => void
  readonly rows: (kind: RowKind, account: number) => ReadonlyMap<number, StoredRow>
  readonly putRow: (kind: RowKind, id: number, row: StoredRow, doc: Fact['doc']) => void
  readonly dropRow: (kind: RowKind, id: number) => void
  /** The costs of one session: few, so they are written anew. */
  readonly putCosts: (spender: Spender, costs: readonly StoredCost[]) => void
}
