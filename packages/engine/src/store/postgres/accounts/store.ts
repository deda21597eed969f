import type { AgentAccount, SkillUse } from '@panoptes/schema'
import { SPENT } from '../../accounts/cost-facts.ts'
import { KINDS, PLACES, ROW_KINDS, type RowKind } from '../../accounts/facts.ts'
import type {
  AccountRow,
  AccountStore,
  Spender,
  StoredAccount,
  StoredCost,
  StoredRow,
} from '../../accounts/store.ts'
import type { Cell } from '../copy.ts'
import { toStoredKey } from '../names.ts'
import { type Column, dropAll, putAll } from './bulk.ts'
import { accountKey, type RowsOf } from './load.ts'
import type { Writes } from './statement-pipeline.ts'
import { OWN_COLUMN } from './tables.ts'

/** Everything that a write may look up, read in advance. */
interface Loaded {
  readonly accounts: Map<string, AccountRow>
  readonly rows: Readonly<Record<RowKind, RowsOf>>
  readonly names: (name: string) => number | undefined
  readonly last: number
}

type Put = StoredRow & { readonly own: Cell }

/**
 * Holds accounts in memory, so that changes are computed synchronously, and writes them at the end in a few
 * statements.
 */
export class LoadedStore implements AccountStore {
  readonly #loaded: Loaded
  #last: number
  /** The value undefined marks an account to delete. */
  readonly #accounts = new Map<number, StoredAccount | undefined>()
  readonly #rows: Record<RowKind, Map<number, Put | undefined>> = {
    agents: new Map(),
    claims: new Map(),
    followups: new Map(),
    uses: new Map(),
  }
  readonly #costs = new Map<number, { readonly spender: Spender; readonly costs: readonly StoredCost[] }>()

  constructor(loaded: Loaded) {
    this.#loaded = loaded
    this.#last = loaded.last
  }

  give(name: string): number {
    const number = this.#loaded.names(name)
    if (number === undefined) throw new Error(`the name ${name} was not read`)
    return number
  }

  find(source: string, session_id: string): AccountRow | undefined {
    return this.#loaded.accounts.get(accountKey(source, session_id))
  }

  next(): number {
    this.#last += 1
    return this.#last
  }

  save(account: StoredAccount): void {
    this.#accounts.set(account.number, account)
    this.#loaded.accounts.set(accountKey(account.source, account.session_id), account)
  }

  drop({ number, source, session_id }: Parameters<AccountStore['drop']>[0]): void {
    this.#accounts.set(number, undefined)
    this.#loaded.accounts.delete(accountKey(source, session_id))
    this.#costs.set(number, { spender: { account: number, source: 0, project: 0 }, costs: [] })
  }

  rows(kind: RowKind, account: number): ReadonlyMap<number, StoredRow> {
    return this.#ownRows(kind, account)
  }

  putRow(kind: RowKind, id: number, row: StoredRow, doc: object): void {
    this.#ownRows(kind, Math.floor(id / PLACES)).set(id, row)
    this.#rows[kind].set(id, { ...row, own: ownColumn(kind, doc) })
  }

  dropRow(kind: RowKind, id: number): void {
    this.#ownRows(kind, Math.floor(id / PLACES)).delete(id)
    this.#rows[kind].set(id, undefined)
  }

  putCosts(spender: Spender, costs: readonly StoredCost[]): void {
    this.#costs.set(spender.account, { spender, costs })
  }

  async write(writes: Writes): Promise<void> {
    await writeAccounts(writes, this.#accounts)
    for (const kind of ROW_KINDS) await writeRows(writes, kind, this.#rows[kind])
    await dropAll(
      writes,
      'account_costs',
      [['account', 'bigint']],
      [...this.#costs.keys()].map((account) => [account]),
    )
    const costs = [...this.#costs.values()].flatMap(({ spender: { account, source, project }, costs }) =>
      costs.map(({ model, day, spent }) => [model, day, account, source, project, ...spent]),
    )
    await putAll(writes, 'account_costs', COSTS, costs)
  }

  #ownRows(kind: RowKind, account: number): Map<number, StoredRow> {
    const all = this.#loaded.rows[kind]
    const own = all.get(account) ?? new Map<number, StoredRow>()
    all.set(account, own)
    return own
  }
}

export const ownColumn = (kind: RowKind, doc: object): Cell => {
  if (kind === 'agents') return toStoredKey((doc as AgentAccount).agent_id)
  return kind === 'uses' ? (doc as SkillUse).duration_ms : null
}

const COSTS: readonly Column[] = [
  ['model', 'integer'],
  ['day', 'text'],
  ['account', 'bigint'],
  ['source', 'integer'],
  ['project', 'integer'],
  ...SPENT.map((field) => [field, 'double precision'] as const),
]

const ACCOUNTS: readonly Column[] = [
  ['number', 'bigint'],
  ['key', 'text'],
  ['source', 'text'],
  ['session_id', 'text'],
  ['fingerprint', 'text'],
  ['made_of', 'text'],
  ['day', 'text'],
  ['doc', 'text'],
]

const onConflictUpdate = (key: string, columns: readonly string[]): string =>
  `ON CONFLICT (${key}) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`

async function writeAccounts(
  writes: Writes,
  accounts: ReadonlyMap<number, StoredAccount | undefined>,
): Promise<void> {
  const gone = [...accounts].flatMap(([number, account]) => (account === undefined ? [[number]] : []))
  await dropAll(writes, 'accounts', [['number', 'bigint']], gone)
  const put = [...accounts.values()].flatMap((account) => {
    if (account === undefined) return []
    const { number, source, session_id, fingerprint, from, day, doc } = account
    return [[number, accountKey(source, session_id), source, session_id, fingerprint, from, day, doc]]
  })
  const change = onConflictUpdate('number', ['fingerprint', 'made_of', 'day', 'doc'])
  await putAll(writes, 'accounts', ACCOUNTS, put, change)
}

async function writeRows(
  writes: Writes,
  kind: RowKind,
  rows: ReadonlyMap<number, Put | undefined>,
): Promise<void> {
  const own = OWN_COLUMN[kind]
  const columns: readonly Column[] = [
    ['id', 'bigint'],
    ['at', 'bigint'],
    ['source', 'integer'],
    ['project', 'integer'],
    ...KINDS[kind].map((name) => [name, 'integer'] as const),
    ['doc', 'text'],
    ...(own === undefined ? [] : [[own, kind === 'agents' ? 'text' : 'bigint'] as const]),
  ]
  const gone = [...rows].flatMap(([id, row]) => (row === undefined ? [[id]] : []))
  await dropAll(writes, `account_${kind}`, [['id', 'bigint']], gone)
  const put = [...rows].flatMap(([id, row]) =>
    row === undefined ? [] : [[id, row.at, row.source, row.project, ...row.kinds, row.doc, row.own]],
  )
  const names = columns.map(([name]) => name).filter((name) => name !== 'id')
  await putAll(writes, `account_${kind}`, columns, put, onConflictUpdate('id', names))
}
