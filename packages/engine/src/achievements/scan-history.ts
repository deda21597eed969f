import type { CountedSession } from '@panoptes/engine/sources'
import type { ContributionRow } from '@panoptes/engine/store'
import type { Failure } from '@panoptes/schema'
import { type Candidate, type History, isFailure, type Scanned } from './history.ts'
import { MOST_SKIPPED, type Skip } from './skips.ts'
import { raised, type SessionRecord, toRow } from './stored-contribution.ts'

export interface ScanJob {
  readonly scope: string
  readonly history: History
  readonly known: ReadonlyMap<string, SessionRecord>
  readonly set: (id: string, kept: SessionRecord) => void
  /** True for a forgotten session, which must not be read. */
  readonly isForgotten: (id: string) => boolean
  /** Also reads sessions that did not change. */
  readonly full: boolean
  readonly signal: AbortSignal
  /** Called with finished sessions, in batches, while the scan runs. */
  readonly keep: (rows: readonly ContributionRow[]) => void
  readonly progress: (done: number, total: number) => void
  /** Starts another thread that reads sessions as well. */
  readonly elsewhere?: Elsewhere | undefined
}

export type ScanBatch = (
  batch: readonly Candidate[],
) => Promise<readonly (Scanned | Failure)[] | Failure | undefined>
/**
 * Starts another thread if there is enough to read. Its batches resolve with undefined when it cannot
 * continue.
 */
export type Elsewhere = (count: number) => ScanBatch | undefined

export interface ScanTotals {
  readonly rescanned: number
  readonly reused: number
  /** True if earlier results could be reused, so that not every session had to be read. */
  readonly goesOn: boolean
  readonly messages: number
  /** Sessions that could not be read. */
  readonly failed: number
  readonly skipped: readonly Skip[]
}

const BATCH = 32
/**
 * The number of batches that the other thread has at a time. Its results are only taken between two reads of
 * this thread, and with a single batch it would idle until then.
 */
const AHEAD = 3

/** Reads the changed sessions of a history. A failure leaves the earlier results unchanged. */
export async function scanHistory(job: ScanJob): Promise<ScanTotals | Failure> {
  const { history, known, signal } = job
  const found = await history.list(signal)
  if (isFailure(found)) return found
  const listed = found.sessions.filter(({ id }) => !job.isForgotten(id))
  const isSame = ({ id, fingerprint }: Candidate) => !job.full && known.get(id)?.fingerprint === fingerprint
  const changed = listed.filter((one) => !isSame(one))
  const goesOn = !job.full && known.size > 0
  // A session that never counts is not counted as reused.
  const reused = listed.filter((one) => isSame(one) && known.get(one.id)?.contribution).length
  const wanted = changed.filter((one) => !leaveOut(job, one)).map((one) => withBefore(one, known.get(one.id)))
  const reading = new Reading(job, wanted)
  const there = job.elsewhere?.(wanted.length)
  const here: ScanBatch = (batch) => history.scan(batch, signal)
  const ahead = there ? Array.from({ length: AHEAD }, () => reading.work(there)) : []
  await Promise.all([...ahead, reading.work(here)])
  // A thread that gave up has put its batch back into the queue.
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

/** Adds the earlier values if the source numbers its rows; otherwise old and new rows look alike. */
function withBefore(one: Candidate, kept: SessionRecord | undefined): Candidate {
  const contribution = kept?.contribution
  if (contribution === undefined || !(contribution.seen ?? contribution.base)) return one
  const { values, seen, base } = contribution
  return { ...one, before: { values, ...(seen && { seen }), ...(base && { base }) } }
}

/** True for a session that never counts, because it was archived when it was first listed. */
function leaveOut({ known, set, scope, history, keep }: ScanJob, one: Candidate): boolean {
  const { id, fingerprint, apart } = one
  const before = known.get(id)
  if (before === undefined && !apart) return false
  if (before?.contribution !== undefined) return false
  if (before === undefined) {
    const { last_at = null, message_count = 0 } = one.about as Partial<CountedSession>
    const kept: SessionRecord = { fingerprint, contribution: undefined, apart: { last_at, message_count } }
    set(id, kept)
    keep([toRow(scope, history.source, id, kept)])
  }
  return true
}

/** Reads the changed sessions in batches, on any number of threads. */
class Reading {
  readonly #job: ScanJob
  readonly #total: number
  readonly #queue: (readonly Candidate[])[]
  readonly failures: { readonly id: string; readonly failure: Failure }[] = []
  done = 0
  messages = 0
  /** Set when the whole history cannot be read any more. */
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
      // The session may have been forgotten while it was read.
      if (isForgotten(id)) continue
      if (isFailure(result)) {
        this.failures.push({ id, failure: result })
        continue
      }
      const kept: SessionRecord = {
        fingerprint,
        contribution: raised(known.get(id)?.contribution, result.contribution),
      }
      set(id, kept)
      rows.push(toRow(scope, history.source, id, kept))
      this.messages += result.messages
    }
    keep(rows)
  }
}
