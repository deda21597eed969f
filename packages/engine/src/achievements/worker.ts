import { availableParallelism, loadavg } from 'node:os'
import { workerData } from 'node:worker_threads'
import { ForgottenSessions } from '@panoptes/engine/ledger'
import { openSources } from '@panoptes/engine/sources'
import { type Handlers, serve, Thread } from '@panoptes/engine/threads'
import type { Failure, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type Calendar, calendarOf } from './calendar.ts'
import type { ScannerCalls, WorkerSetup } from './calls.ts'
import { writeCheckpoint } from './checkpoint.ts'
import { openHermesHistory } from './hermes-history.ts'
import type { History, HistorySpec } from './history.ts'
import { type Elsewhere, scanHistory } from './scan-history.ts'
import { badgesOf, Contributions, evaluate } from './scanner.ts'
import { openSourceHistory } from './source-history.ts'

const setup = workerData as WorkerSetup
const forgotten = new ForgottenSessions(setup.forgotten)
const contributions = new Contributions()
const histories = new Map<string, History>()
/** The mark a history had when it was last read to its end. */
const marks = new Map<string, string>()
const calendars = new Map<string, Calendar>()

class Refused extends Error {
  readonly failure: Failure
  constructor(refused: Failure) {
    super(refused.message)
    this.failure = refused
  }
}

function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new Refused(result)
  return result.value
}

function historyOf(spec: HistorySpec): History {
  const known = histories.get(spec.scope)
  if (known) return known
  const opened =
    spec.kind === 'hermes' ? openHermesHistory(spec.path) : openSourceHistory(sourceOf(spec.name))
  histories.set(spec.scope, opened)
  return opened
}

function sourceOf(name: string) {
  const source = openSources(setup.env).find((one) => one.name === name)
  if (source === undefined) throw new Refused(failure('not_found', `There is no source ${name}.`))
  return source
}

function calendar(zone: string): Calendar {
  const known = calendars.get(zone) ?? orThrow(calendarOf(zone))
  calendars.set(zone, known)
  return known
}

/** So many sessions are worth a thread of their own where a core is free for it. */
const MANY = 200
let helper: Thread<ScannerThread> | undefined
type ScannerThread = { [M in keyof ScannerCalls]: ScannerCalls[M] }
const isBusy = (): boolean => (loadavg()[0] ?? 0) > 2 * availableParallelism()

const elsewhereFor =
  (spec: HistorySpec): Elsewhere =>
  (count) => {
    if (count < MANY || availableParallelism() < 2 || isBusy()) return undefined
    const thread = new Thread<ScannerThread>({
      script: new URL(import.meta.url),
      name: 'achievements-helper',
      data: setup,
      what: 'Reading sessions for achievements',
    })
    helper = thread
    return async (batch) => {
      const scanned = await thread.call('scanBatch', [spec, batch])
      return scanned.ok ? scanned.value : batch.map(() => scanned)
    }
  }

async function endHelper(): Promise<void> {
  const ending = helper
  helper = undefined
  await ending?.call('close', [])
  await ending?.end()
}

const calls: Handlers<ScannerCalls> = {
  know: (_job, scope, rows) => {
    contributions.know(scope, rows)
    return null
  },
  knows: (_job, scope) => contributions.has(scope),
  scan: async (job, spec, full) => {
    const history = historyOf(spec)
    const known = contributions.of(spec.scope)
    const mark = history.mark()
    if (!full && mark !== undefined && marks.get(spec.scope) === mark) {
      const sessions = contributions.counted([spec.scope]).length
      return { sessions, rescanned: 0, reused: sessions, messages: 0, skipped: [] }
    }
    const stop = new AbortController()
    const progress = (done: number, total: number) => {
      job.progress(done, total)
      if (job.stopped()) stop.abort()
    }
    const keep = (rows: readonly unknown[]) => rows.length > 0 && job.part(rows)
    try {
      const elsewhere = elsewhereFor(spec)
      const done = await scanHistory({
        scope: spec.scope,
        history,
        known,
        isForgotten: (id) => forgotten.has(history.source, id),
        full,
        signal: stop.signal,
        keep,
        progress,
        elsewhere,
      })
      if ('ok' in done) throw new Refused(done)
      if (stop.signal.aborted) throw new Refused(failure('stopped', 'Stopped. What was read so far is kept.'))
      if (mark !== undefined && done.skipped.length === 0) marks.set(spec.scope, mark)
      return done
    } finally {
      await endHelper()
    }
  },
  scanBatch: async (_job, spec, batch) => {
    const history = historyOf(spec)
    const never = new AbortController().signal
    return Promise.all(batch.map((one) => history.scan(one, never)))
  },
  evaluate: (_job, request) =>
    evaluate(contributions.counted(request.scopes), request, calendar(request.zone)),
  badges: (_job, scopes, session, zone) => {
    for (const scope of scopes) {
      const contribution = contributions.of(scope).get(session)?.contribution
      if (contribution) return badgesOf(contribution, calendar(zone))
    }
    return null
  },
  writeCheckpoint: (_job, scopes, file) => {
    writeCheckpoint(file, new Map(scopes.flatMap((scope) => [...contributions.of(scope)])))
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
    return null
  },
  close: () => {
    for (const history of histories.values()) history.close()
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
