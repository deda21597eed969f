import { type Listed, openSources, Pace, type SessionSource, throughArchive } from '@panoptes/engine/sources'
import type { AccountFingerprint, ForgottenSessions, StoreLocation } from '@panoptes/engine/store'
import type { Account, Failure, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { Looked, ReadAccounts } from '../calls.ts'
import { isCurrent, type MadeBy } from './fingerprint.ts'

/** So much is handed over at a time. */
const MOST_ACCOUNTS = 32
const MOST_MS = 300
/** A session that takes longer to read is read less often while it changes. */
const LONG_MS = 20

export interface ReaderSetup {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly place?: StoreLocation | undefined
  readonly history: string | undefined
  readonly forgotten: ForgottenSessions
  readonly by: MadeBy
  /** Makes the account of one session. */
  readonly make: (source: SessionSource, listed: Listed, signal: AbortSignal) => Promise<Result<Account>>
}

/** What changed in the sources, read one after the other; the newest first, as sources list them. */
export class SourceReader {
  readonly #setup: ReaderSetup
  readonly #sources: ReadonlyMap<string, SessionSource>
  readonly #known = new Map<string, Map<string, Omit<AccountFingerprint, 'id'>>>()
  readonly #listed = new Map<string, ReadonlySet<string>>()
  readonly #paces = new Map<string, Pace>()
  #waiting: { readonly source: SessionSource; readonly listed: Listed }[] = []

  constructor(setup: ReaderSetup) {
    this.#setup = setup
    // What a session that is gone amounted to stays, so copies of it do not count.
    const isKept = (source: string, id: string) =>
      setup.forgotten.has(source, id) || this.#known.get(source)?.get(id)?.from === 'session'
    this.#sources = new Map(
      openSources(setup.env, isKept, setup.place).map((source) => [
        source.name,
        throughArchive(source, setup.history),
      ]),
    )
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

  async look(name: string, patient: boolean, signal: AbortSignal): Promise<Looked> {
    const { forgotten, by } = this.#setup
    const source = this.#sources.get(name)
    const known = this.#known.get(name)
    this.#waiting = this.#waiting.filter((each) => each.source.name !== name)
    const there = new Set<string>()
    const waits: number[] = []
    let problem: Failure | null = null
    let changed = 0
    for await (const record of source?.list(signal) ?? []) {
      if (record.kind === 'failed') {
        problem ??= record.failure
        continue
      }
      if (forgotten.has(name, record.id)) continue
      there.add(record.id)
      const before = known?.get(record.id)
      if (before?.from === 'session' && isCurrent(before.fingerprint, markOf(record), by)) continue
      const wait = patient ? this.#paceOf(name).remainingMs(record.id) : 0
      if (wait > 0) waits.push(wait)
      else {
        changed += 1
        if (source) this.#waiting.push({ source, listed: record })
      }
    }
    this.#listed.set(name, there)
    return { changed, again_ms: waits.length > 0 ? Math.min(...waits) : null, problem }
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
      const made = this.#setup.forgotten.has(source.name, listed.id)
        ? undefined
        : await this.#setup.make(source, listed, signal)
      if (signal.aborted) {
        this.#waiting.unshift(next)
        return { accounts, read, problem: failure('stopped', 'Stopped. Progress so far is saved.') }
      }
      read += 1
      const took = performance.now() - since
      if (took > LONG_MS) this.#paceOf(source.name).took(listed.id, took)
      if (made?.ok) {
        this.keep(made.value)
        accounts.push(made.value)
      } else if (made && made.code !== 'not_found') problem ??= made
    }
    return read === 0 ? null : { accounts, read, problem }
  }

  #paceOf(source: string): Pace {
    const pace = this.#paces.get(source) ?? new Pace()
    this.#paces.set(source, pace)
    return pace
  }
}

/** What became of the session that one is a copy of changes nothing: it counted. */
export const markOf = ({ own, fingerprint }: Listed): string => own ?? fingerprint
