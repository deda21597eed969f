import { workerData } from 'node:worker_threads'
import { FoldReader } from '@panoptes/engine/sources'
import { ForgottenSessions } from '@panoptes/engine/store'
import { createStopSignal, type Handlers, orThrow, Refused, serve } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import { type Calendar, createCalendar } from './calendar.ts'
import type { ScannerCalls, WorkerSetup } from './calls.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { Contributions } from './contributions.ts'
import { evaluated, findBadges, type Summed, summed } from './evaluation.ts'
import { unreadable } from './file-readability.ts'
import { openFoldHistory } from './fold-history.ts'
import { openHermesHistory } from './hermes-history.ts'
import { prepareHermesReader } from './hermes-reader.ts'
import { type History, type HistorySpec, isFailure } from './history.ts'
import { type ScanTotals, scanHistory } from './scan-history.ts'

const setup = workerData as WorkerSetup
const forgotten = new ForgottenSessions(setup.forgotten)
const contributions = new Contributions()
const folds = new FoldReader(setup.place, setup.history)
const histories = new Map<string, History>()
/** The mark a history had when it was last read to its end, and how many of its sessions counted then. */
const marks = new Map<string, { readonly mark: string; readonly sessions: number }>()
const calendars = new Map<string, Calendar>()
/** What views amounted to when nothing had changed since. */
const sums = new Map<string, Summed & { readonly version: number }>()
const SUMS_AT_MOST = 8

const NOTHING: ScanTotals = { rescanned: 0, reused: 0, goesOn: false, messages: 0, failed: 0, skipped: [] }

function historyOf(spec: HistorySpec): History {
  const known = histories.get(spec.scope)
  if (known) return known
  const opened = spec.kind === 'hermes' ? openHermesHistory(spec.path) : openFoldHistory(spec.name, folds)
  histories.set(spec.scope, opened)
  return opened
}

function calendar(zone: string): Calendar {
  const known = calendars.get(zone) ?? orThrow(createCalendar(zone))
  calendars.set(zone, known)
  return known
}

function sumOf(scopes: readonly string[], zone: string): Summed {
  const { version } = contributions
  const key = JSON.stringify([zone, scopes])
  const known = sums.get(key)
  if (known?.version === version) return known
  const sum = { ...summed(contributions.counted(scopes), calendar(zone)), version }
  if (sums.size >= SUMS_AT_MOST) sums.clear()
  sums.set(key, sum)
  return sum
}

const calls: Handlers<ScannerCalls> = {
  know: (_job, scope, source, rows) => {
    contributions.know(scope, source, rows)
    return null
  },
  scan: async (job, spec, full) => {
    const { scope } = spec
    const history = historyOf(spec)
    const known = contributions.of(scope) ?? new Map()
    const mark = history.mark()
    const read = marks.get(scope)
    if (!full && mark !== undefined && read?.mark === mark)
      return { ...NOTHING, reused: read.sessions, goesOn: true }
    // Where Hermes never was there is nothing to count.
    const unread = spec.kind === 'hermes' ? unreadable(spec.path) : undefined
    if (unread?.code === 'not_found' && known.size === 0) return NOTHING
    if (unread && unread.code !== 'not_found') throw new Refused(unread)
    const stop = createStopSignal(job)
    const second =
      spec.kind === 'hermes' ? prepareHermesReader(spec.path, full || known.size === 0) : undefined
    try {
      const done = await scanHistory({
        scope,
        history,
        known,
        set: (id, kept) => contributions.set(scope, id, kept),
        isForgotten: (id) => forgotten.has(history.source, id),
        full,
        signal: stop.signal,
        keep: (rows) => rows.length > 0 && job.part(rows),
        progress: job.progress,
        elsewhere: second?.read,
      })
      if (isFailure(done)) throw new Refused(done)
      if (stop.signal.aborted) throw new Refused(failure('stopped', 'Stopped. Progress so far is saved.'))
      if (mark !== undefined && done.failed === 0)
        marks.set(scope, { mark, sessions: done.rescanned + done.reused })
      return done
    } finally {
      stop.end()
      const ended = second?.end()
      if (stop.signal.aborted) await ended
    }
  },
  evaluate: (_job, request) => evaluated(sumOf(request.scopes, request.zone), request),
  badges: (_job, scopes, session, zone) => {
    for (const scope of scopes) {
      const contribution = contributions.of(scope)?.get(session)?.contribution
      if (contribution) return findBadges(contribution, calendar(zone))
    }
    return null
  },
  writeCheckpoint: (_job, scope, database, file) => {
    const known = contributions.of(scope)
    const failed = known && writeCheckpoint(file, database, known)
    if (failed) throw new Refused(failed)
    return null
  },
  forget: (_job, sessions) => {
    for (const session of sessions) {
      forgotten.add(session)
      contributions.forget(session)
    }
    return null
  },
  drop: (_job, scope) => {
    contributions.drop(scope)
    marks.delete(scope)
    histories.get(scope)?.close()
    histories.delete(scope)
    return null
  },
  close: async () => {
    for (const history of histories.values()) history.close()
    await folds.close()
    return null
  },
}

serve(calls, (error) =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be counted: ${error instanceof Error ? error.message : error}. Try again.`,
      ),
)
