import { type FoldedListed, type FoldReader, Pace } from '@panoptes/engine/sources'
import type { AccountFingerprint, ForgottenSessions } from '@panoptes/engine/store'
import type { Account, Failure, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Looked, ReadAccounts } from '../calls.ts'
import { ACCOUNT } from '../fold/index.ts'
import { isCurrent, isFolded, type MadeBy } from './fingerprint.ts'

/** So much is handed over at a time. */
const MOST_ACCOUNTS = 32
const MOST_MS = 300
/** A session whose claims take longer to check is checked less often while it changes. */
const LONG_MS = 20

export interface Checked {
  readonly source: string
  readonly listed: FoldedListed
  /** The account as it was made when the session was read. */
  readonly account: Account
  readonly signal: AbortSignal
}

export interface ReaderSetup {
  readonly folds: FoldReader
  readonly forgotten: ForgottenSessions
  readonly by: MadeBy
  /** Checks the claims of one account. */
  readonly check: (checked: Checked) => Promise<Result<Account>>
}

interface Waiting {
  readonly source: string
  readonly listed: FoldedListed
}

/** The accounts that changed when sessions were read, checked one after the other. */
export class SourceReader {
  readonly #setup: ReaderSetup
  readonly #known = new Map<string, Map<string, Omit<AccountFingerprint, 'id'>>>()
  readonly #listed = new Map<string, ReadonlySet<string>>()
  readonly #paces = new Map<string, Pace>()
  #waiting: Waiting[] = []

  constructor(setup: ReaderSetup) {
    this.#setup = setup
  }

  know(source: string, accounts: readonly AccountFingerprint[]): void {
    this.#known.set(source, new Map(accounts.map(({ id, ...known }) => [id, known])))
  }

  /** It was made, and is about to be kept. */
  keep({ source, session_id, fingerprint, from }: Account): void {
    const known = this.#known.get(source) ?? new Map<string, Omit<AccountFingerprint, 'id'>>()
    this.#known.set(source, known)
    known.set(session_id, { fingerprint, from })
  }

  /** It is read again the next time. */
  drop(source: string, id: string): void {
    const known = this.#known.get(source)
    const before = known?.get(id)
    if (before) known?.set(id, { ...before, fingerprint: '' })
  }

  /** Whether a source has it, or had it. */
  has(source: string, id: string): boolean {
    return this.#listed.get(source)?.has(id) === true || this.#known.get(source)?.get(id)?.from === 'session'
  }

  isUnchanged(source: string, id: string, of: string): boolean {
    return isCurrent(this.#known.get(source)?.get(id)?.fingerprint, of, this.#setup.by)
  }

  async look(name: string, patient: boolean): Promise<Looked> {
    const { folds, forgotten } = this.#setup
    const known = this.#known.get(name)
    this.#waiting = this.#waiting.filter((each) => each.source !== name)
    const rows = await folds.list(ACCOUNT, name)
    if (!rows.ok) return { changed: 0, again_ms: null, problem: rows }
    const there = new Set<string>()
    const waits: number[] = []
    let changed = 0
    for (const listed of rows.value) {
      if (forgotten.has(name, listed.id)) continue
      there.add(listed.id)
      const before = known?.get(listed.id)
      if (before?.from === 'session' && isFolded(before.fingerprint, listed.version)) continue
      const wait = patient ? this.#paceOf(name).remainingMs(listed.id) : 0
      if (wait > 0) waits.push(wait)
      else {
        changed += 1
        this.#waiting.push({ source: name, listed })
      }
    }
    this.#listed.set(name, there)
    return { changed, again_ms: waits.length > 0 ? Math.min(...waits) : null, problem: null }
  }

  async next(signal: AbortSignal): Promise<ReadAccounts | null> {
    const began = performance.now()
    const accounts: Account[] = []
    let problem: Failure | null = null
    let read = 0
    while (accounts.length < MOST_ACCOUNTS && performance.now() - began < MOST_MS) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      const { source, listed } = next
      const since = performance.now()
      const made = this.#setup.forgotten.has(source, listed.id) ? undefined : await this.#make(next, signal)
      if (signal.aborted) {
        this.#waiting.unshift(next)
        return { accounts, read, problem: failure('stopped', 'Stopped. Progress so far is saved.') }
      }
      read += 1
      const took = performance.now() - since
      if (took > LONG_MS) this.#paceOf(source).took(listed.id, took)
      if (made?.ok) {
        this.keep(made.value)
        accounts.push(made.value)
      } else if (made && made.code !== 'not_found') problem ??= made
    }
    return read === 0 ? null : { accounts, read, problem }
  }

  async #make({ source, listed }: Waiting, signal: AbortSignal): Promise<Result<Account>> {
    const found = await this.#setup.folds.read<Account>(ACCOUNT, source, [listed.id])
    if (!found.ok) return found
    const account = found.value.get(listed.id)
    if (account === undefined)
      return failure('not_found', `The session ${listed.id} was forgotten in the meantime.`)
    return this.#setup.check({ source, listed, account, signal })
  }

  #paceOf(source: string): Pace {
    const pace = this.#paces.get(source) ?? new Pace()
    this.#paces.set(source, pace)
    return pace
  }
}
