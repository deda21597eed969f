import type { EventStore } from '@panoptes/engine/store'
import type { Failure, LedgerOverview, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { ReadAccounts } from '../calls.ts'
import type { Journals } from '../journals/journals.ts'
import { isOpen } from './fingerprint.ts'
import { FromLog } from './from-log.ts'
import type { Keeping } from './keep.ts'
import type { OpenSessions } from './open-sessions.ts'
import type { Reviewer } from './reviewer.ts'
import type { Touched } from './touched.ts'

export interface FollowingOptions {
  readonly store: EventStore
  readonly reviewer: Reviewer
  readonly journals: Journals
  readonly touched: Touched
  readonly keeping: Keeping
  readonly open: OpenSessions
  /** The names of the sources there are. */
  readonly sources: readonly string[]
  /** Names that are skills. */
  readonly skills: () => Promise<readonly string[]>
  readonly now: () => number
  /** Accounts changed. */
  readonly changed: () => void
  /** Something could not be read or written. */
  readonly problem: (reason: string) => void
}

type Reading = LedgerOverview['reading']

/** Reads what changed, one run after the other. What was read is kept at once, so that a run that is stopped goes on where it was. */
export class Following {
  readonly #options: FollowingOptions
  readonly #fromLog: FromLog
  readonly #known = new Set<string>()
  readonly #changed: Set<string>
  #turn: Promise<unknown> = Promise.resolve()
  #stop = new AbortController()
  #waits: number[] = []
  #told: string | null = null
  /** The last run was ended before its end, and there is more to read. */
  #wasStopped = false
  #reading: Reading = { state: 'idle', done: 0, total: 0, problem: null }

  constructor(options: FollowingOptions) {
    this.#options = options
    this.#changed = new Set(options.sources)
    const { store, reviewer, touched, keeping } = options
    this.#fromLog = new FromLog({ store, reviewer, touched, keeping, know: (source) => this.#know(source) })
  }

  get reading(): Reading {
    return this.#reading
  }

  /** Something in it may be another than it was. */
  mark(source: string): void {
    this.#changed.add(source)
  }

  /** Whoever reads has to be told again what is known. */
  knowNothing(): void {
    this.#known.clear()
    this.markAll()
  }

  markAll(): void {
    for (const source of this.#options.sources) this.#changed.add(source)
  }

  /** One run, after those before it. Patiently, what is large and was read just now is left for later. */
  run(patient: boolean, signal?: AbortSignal): Promise<Result<null>> {
    const own = this.#turn.then(async () => {
      // The calls of a run build on each other, so the thread stays until its end.
      const release = this.#options.reviewer.hold()
      return this.#run(patient, signal).finally(release)
    })
    this.#turn = own.catch(() => undefined)
    return own
  }

  /** Ends what is being read, and does this before anything else is. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.#stop.abort()
    this.#stop = new AbortController()
    const own = this.#turn.then(work)
    this.#turn = own.catch(() => undefined)
    return own
  }

  /** When there is something to do though nothing changes, in milliseconds; null where there is not. */
  waitMs(): number | null {
    const { open, journals, now } = this.#options
    const due = open.next()
    const waits = [
      ...this.#waits,
      this.#fromLog.againMs,
      journals.waitMs(),
      this.#wasStopped ? 0 : null,
      due === null ? null : Math.max(0, due - now()),
    ].flatMap((wait) => (wait === null ? [] : [wait]))
    return waits.length === 0 ? null : Math.min(...waits)
  }

  /** Nothing of them is read from here on. */
  async forget(sessions: readonly SessionRef[]): Promise<Result<null>> {
    const { touched, open, reviewer } = this.#options
    touched.forget(sessions)
    for (const session of sessions) open.set(session, null)
    return reviewer.isRunning ? reviewer.call('forget', [sessions]) : success(null)
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#turn
    await this.#options.journals.settle(true)
  }

  async #run(patient: boolean, asked: AbortSignal | undefined): Promise<Result<null>> {
    const { keeping, open, journals, now, changed } = this.#options
    const signal = asked ? AbortSignal.any([asked, this.#stop.signal]) : this.#stop.signal
    const before = keeping.kept
    this.#reading = { state: 'running', done: 0, total: 0, problem: null }
    const failed =
      (await this.#readSources(patient, signal)) ??
      (signal.aborted ? undefined : await this.#fromLog.read(patient, signal)) ??
      (signal.aborted ? undefined : await keeping.judgeAgain(open.due(now()))) ??
      (await this.#readAgain(patient, signal))
    await journals.settle(!patient)
    if (keeping.kept > before) changed()
    const problem =
      failed?.message ?? this.#reading.problem ?? this.#fromLog.problem ?? journals.problem?.message ?? null
    if (problem !== null && problem !== this.#told) this.#options.problem(problem)
    this.#told = problem
    const stopped = failed?.code === 'stopped' || signal.aborted
    this.#wasStopped = stopped && this.#changed.size > 0
    this.#reading = { ...this.#reading, state: failed && !stopped ? 'failed' : 'idle', problem }
    return failed && !stopped ? failed : success(null)
  }

  /** What was estimated of those who ended is compared with what they took. */
  async #readAgain(patient: boolean, signal: AbortSignal): Promise<Failure | undefined> {
    const { keeping, reviewer } = this.#options
    const ended = keeping.ended.splice(0)
    if (ended.length === 0 || signal.aborted) return undefined
    const told = ended.map(({ source, session_id, agent_id, last_at }) => ({
      source,
      session_id,
      agent_id,
      last_at,
    }))
    const heard = await reviewer.call('ended', [told])
    if (!heard.ok) return heard
    for (const source of new Set(told.map((agent) => agent.source))) this.#changed.add(source)
    return this.#readSources(patient, signal)
  }

  async #readSources(patient: boolean, signal: AbortSignal): Promise<Failure | undefined> {
    const { reviewer } = this.#options
    const sources = [...this.#changed]
    this.#waits = []
    if (sources.length === 0) return undefined
    const named = await reviewer.call('skills', [await this.#options.skills()])
    if (!named.ok) return named
    for (const source of sources) {
      const failed = await this.#know(source)
      if (failed) return failed
      const looked = await reviewer.call('look', [source, patient], { signal })
      if (!looked.ok) return looked
      if (signal.aborted) return undefined
      this.#changed.delete(source)
      const { changed, again_ms: again, problem } = looked.value
      if (again !== null) {
        this.#waits.push(again)
        this.#changed.add(source)
      }
      this.#say({ total: this.#reading.total + changed, ...(problem && { problem: problem.message }) })
    }
    const failed = await this.#readAll(signal)
    // What was handed out and not kept is not known after all.
    if (failed || signal.aborted) {
      this.#known.clear()
      for (const source of sources) this.#changed.add(source)
    }
    return failed
  }

  async #readAll(signal: AbortSignal): Promise<Failure | undefined> {
    const { reviewer, keeping } = this.#options
    const ask = (): Promise<Result<ReadAccounts | null>> => reviewer.call('next', [], { signal })
    // The next ones are read while these are written.
    for (let asked = ask(); ; ) {
      const read = await asked
      if (!read.ok) return read
      if (read.value === null) return undefined
      const { accounts, problem } = read.value
      if (problem?.code !== 'stopped') asked = ask()
      const failed = await keeping.keep(accounts)
      if (failed || signal.aborted) {
        await asked
        return failed
      }
      this.#say({
        done: this.#reading.done + read.value.read,
        ...(problem && { problem: problem.message }),
      })
    }
  }

  #say(reading: Partial<Reading>): void {
    this.#reading = { ...this.#reading, ...reading }
  }

  async #know(source: string): Promise<Failure | undefined> {
    if (this.#known.has(source)) return undefined
    const { store: ledger, reviewer, open } = this.#options
    const known = await ledger.accounts.fingerprints(source)
    if (!known.ok) return known
    const accounts = [...known.value.values()]
    const told = await reviewer.call('know', [source, accounts])
    if (!told.ok) return told
    this.#known.add(source)
    for (const { id, fingerprint } of accounts) if (isOpen(fingerprint)) open.set({ source, id }, 0)
    return undefined
  }
}
