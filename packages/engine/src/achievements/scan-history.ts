import type { ContributionRow } from '@panoptes/engine/ledger'
import type { CountedSession } from '@panoptes/engine/sources'
import type { Failure } from '@panoptes/schema'
import { type Candidate, type History, isFailure, type Scanned } from './history.ts'
import { type Kept, raised, rowOf } from './kept.ts'
import { MOST_SKIPPED, type Skip } from './skips.ts'

export interface ScanJob {
  readonly scope: string
  readonly history: History
  readonly known: ReadonlyMap<string, Kept>
  readonly set: (id: string, kept: Kept) => void
  /** These are read by nobody any more. */
  readonly isForgotten: (id: string) => boolean
  /** Reads also what did not change. */
  readonly full: boolean
  readonly signal: AbortSignal
  /** Hears of finished sessions, in parts, as the scan goes. */
  readonly keep: (rows: readonly ContributionRow[]) => void
  readonly progress: (done: number, total: number) => void
  /** Reads sessions on other threads too. */
  readonly elsewhere?: Elsewhere | undefined
}

export type ScanBatch = (
  batch: readonly Candidate[],
) => Promise<readonly (Scanned | Failure)[] | Failure | undefined>
/** A thread more, where there is so much to read that it is worth one. It answers nothing when it cannot go on. */
export type Elsewhere = (count: number) => ScanBatch | undefined

export interface ScanTotals {
  readonly rescanned: number
  readonly reused: number
  /** Something was known from before, and not everything had to be read. */
  readonly goesOn: boolean
  readonly messages: number
  /** Sessions that could not be read. */
  readonly failed: number
  readonly skipped: readonly Skip[]
}

const BATCH = 32
/** Batches that the other thread has at a time: answers are taken when this one is between two reads, and until then it would wait. */
const AHEAD = 3

/** Reads the sessions of a history that changed. A failure leaves what was known as it was. */
export async function scanHistory(job: ScanJob): Promise<ScanTotals | Failure> {
  const { history, known, signal } = job
  const found = await history.list(signal)
  if (isFailure(found)) return found
  const listed = found.sessions.filter(({ id }) => !job.isForgotten(id))
  const isSame = ({ id, fingerprint }: Candidate) => !job.full && known.get(id)?.fingerprint === fingerprint
  const changed = listed.filter((one) => !isSame(one))
  const goesOn = !job.full && known.size > 0
  // One that never counts is not reused either.
  const reused = listed.filter((one) => isSame(one) && known.get(one.id)?.contribution).length
  const wanted = changed.filter((one) => !leaveOut(job, one)).map((one) => withBefore(one, known.get(one.id)))
  const reading = new Reading(job, wanted)
  const there = job.elsewhere?.(wanted.length)
  const here: ScanBatch = (batch) => history.scan(batch, signal)
  const ahead = there ? Array.from({ length: AHEAD }, () => reading.work(there)) : []
  await Promise.all([...ahead, reading.work(here)])
  // A thread that gave up left its batch behind.
  await reading.work(here)
  const { done, messages, failures, failure } = reading
  if (failure) return failure
  const [first] = failures
  if (first && failures.length === wanted.length) return first.failure
  const skipped = failures.map(({ id, failure: { message } }) => ({ place: id, reason: message }))
  return {
    rescanned: done - failures.length,
    reused,
    goesOn,
    messages,
    failed: failures.length + found.skipped.length,
    skipped: [...found.skipped, ...skipped].slice(0, MOST_SKIPPED),
  }
}

/** Only where the source numbers what it has: the others are told apart by nothing. */
function withBefore(one: Candidate, kept: Kept | undefined): Candidate {
  const contribution = kept?.contribution
  if (contribution === undefined || !(contribution.seen ?? contribution.base)) return one
  const { values, seen, base } = contribution
  return { ...one, before: { values, ...(seen && { seen }), ...(base && { base }) } }
}

/** One that had been put away when it was first met does not count, and one that never counted is not read. */
function leaveOut({ known, set, scope, history, keep }: ScanJob, one: Candidate): boolean {
  const { id, fingerprint, apart } = one
  const before = known.get(id)
  if (before === undefined && !apart) return false
  if (before?.contribution !== undefined) return false
  if (before === undefined) {
    const { last_at = null, message_count = 0 } = one.about as Partial<CountedSession>
    const kept: Kept = { fingerprint, contribution: undefined, apart: { last_at, message_count } }
    set(id, kept)
    keep([rowOf(scope, history.source, id, kept)])
  }
  return true
}

/** The sessions that have to be read, in batches. */
class Reading {
  readonly #job: ScanJob
  readonly #total: number
  readonly #queue: (readonly Candidate[])[]
  readonly failures: { readonly id: string; readonly failure: Failure }[] = []
  done = 0
  messages = 0
  /** Nothing can be read any more. */
  failure: Failure | undefined

  constructor(job: ScanJob, wanted: readonly Candidate[]) {
    this.#job = job
    this.#total = wanted.length
    this.#queue = Array.from({ length: Math.ceil(wanted.length / BATCH) }, (_, at) =>
      wanted.slice(at * BATCH, (at + 1) * BATCH),
    )
  }

  async work(scan: ScanBatch): Promise<void> {
    const { signal, progress } = this.#job
    while (!signal.aborted && !this.failure) {
      const batch = this.#queue.shift()
      if (batch === undefined) return
      const scanned = await scan(batch)
      if (signal.aborted) return
      if (scanned === undefined) {
        this.#queue.unshift(batch)
        return
      }
      if (isFailure(scanned)) this.failure = scanned
      else this.#take(batch, scanned)
      progress(this.done, this.#total)
    }
  }

  #take(batch: readonly Candidate[], scanned: readonly (Scanned | Failure)[]): void {
    const { scope, history, known, set, keep, isForgotten } = this.#job
    const rows: ContributionRow[] = []
    for (const [at, result] of scanned.entries()) {
      const candidate = batch[at]
      if (candidate === undefined) continue
      const { id, fingerprint } = candidate
      this.done += 1
      // It may have been forgotten while it was read.
      if (isForgotten(id)) continue
      if (isFailure(result)) {
        this.failures.push({ id, failure: result })
        continue
      }
      const kept: Kept = {
        fingerprint,
        contribution: raised(known.get(id)?.contribution, result.contribution),
      }
      set(id, kept)
      rows.push(rowOf(scope, history.source, id, kept))
      this.messages += result.messages
    }
    keep(rows)
  }
}
