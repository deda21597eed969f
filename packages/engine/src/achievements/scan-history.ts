import type { ContributionRow } from '@panoptes/engine/ledger'
import type { Failure } from '@panoptes/schema'
import type { Candidate, History, Scanned, Skip } from './history.ts'
import { type Kept, raised, rowOf } from './kept.ts'

export interface ScanJob {
  readonly scope: string
  readonly history: History
  /** What is known; it is brought up to date. */
  readonly known: Map<string, Kept>
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

export type ScanBatch = (batch: readonly Candidate[]) => Promise<readonly (Scanned | Failure)[]>
/** A thread more, where there is so much to read that it is worth one. */
export type Elsewhere = (count: number) => ScanBatch | undefined

export interface ScanTotals {
  readonly sessions: number
  readonly rescanned: number
  readonly reused: number
  readonly messages: number
  readonly skipped: readonly Skip[]
}

const BATCH = 32
const MOST_SKIPPED = 100

/** Reads the sessions of a history that changed. A failure leaves everything as it was. */
export async function scanHistory(job: ScanJob): Promise<ScanTotals | Failure> {
  const { history, known, signal } = job
  const found = await history.list(signal)
  if ('ok' in found) return found
  const listed = found.filter(({ id }) => !job.isForgotten(id))
  const changed = listed.filter(
    ({ id, fingerprint }) => job.full || known.get(id)?.fingerprint !== fingerprint,
  )
  const wanted = changed.filter((one) => !leaveOut(job, one))
  const totals = { messages: 0, done: 0, skipped: [] as Skip[] }
  const queue = Array.from({ length: Math.ceil(wanted.length / BATCH) }, (_, at) =>
    wanted.slice(at * BATCH, (at + 1) * BATCH),
  )
  const here: ScanBatch = (batch) => Promise.all(batch.map((one) => history.scan(one, signal)))
  const work = async (scan: ScanBatch) => {
    for (let batch = queue.shift(); batch && !signal.aborted; batch = queue.shift()) {
      const scanned = await scan(batch)
      if (signal.aborted) return
      take(job, batch, scanned, totals)
      job.progress(totals.done, wanted.length)
    }
  }
  const there = job.elsewhere?.(wanted.length)
  await Promise.all(there ? [work(here), work(there)] : [work(here)])
  const counted = listed.filter(({ id }) => known.get(id)?.contribution !== undefined).length
  return {
    sessions: counted,
    rescanned: totals.done,
    reused: listed.length - changed.length,
    messages: totals.messages,
    skipped: totals.skipped.slice(0, MOST_SKIPPED),
  }
}

/** One that had been put away when it was first met does not count, and one that never counted is not read. */
function leaveOut({ known, scope, history, keep }: ScanJob, { id, fingerprint, apart }: Candidate): boolean {
  const before = known.get(id)
  if (before === undefined && !apart) return false
  if (before?.contribution !== undefined) return false
  if (before === undefined) {
    const kept: Kept = { fingerprint, contribution: undefined }
    known.set(id, kept)
    keep([rowOf(scope, history.source, id, kept)])
  }
  return true
}

function take(
  { scope, history, known, keep }: ScanJob,
  batch: readonly Candidate[],
  scanned: readonly (Scanned | Failure)[],
  totals: { messages: number; done: number; skipped: Skip[] },
): void {
  const rows: ContributionRow[] = []
  for (const [at, result] of scanned.entries()) {
    const candidate = batch[at]
    if (candidate === undefined) continue
    totals.done += 1
    if ('ok' in result) {
      totals.skipped.push({ place: candidate.id, reason: result.message })
      continue
    }
    const contribution = raised(known.get(candidate.id)?.contribution, result.contribution)
    const kept: Kept = { fingerprint: candidate.fingerprint, contribution }
    known.set(candidate.id, kept)
    rows.push(rowOf(scope, history.source, candidate.id, kept))
    totals.messages += result.messages
    totals.skipped.push(...result.skipped)
  }
  keep(rows)
}
