import { setImmediate as later } from 'node:timers/promises'
import type { TraceBounds, TraceLines } from '@panoptes/engine/store'
import type { MoaTurn, TraceRecord } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { maskKeys } from '../privacy.ts'
import type { TraceStore } from './port.ts'
import { LONGEST_LINE, MOST_BYTES, MOST_RECORDS, MOST_SESSIONS, parseRecord } from './read.ts'

export interface TracesOptions {
  readonly kept: Pick<TraceStore, 'put' | 'removed'>
  /** Provider keys, which must not appear in any line, wherever they were configured. */
  readonly secrets?: (() => readonly string[]) | undefined
}

/**
 * Writes turns to the trace, one line per call. Nothing waits for it, and a failure breaks no turn.
 */
export interface Traces {
  /** Calls back when the line is written, or with the reason why it was lost. */
  readonly write: (
    session: string,
    record: () => TraceRecord,
    ended?: (problem: string | null) => void,
  ) => void
  /** Why the last line could not be written; null if everything works. */
  readonly problem: () => string | null
  /** Number of lines lost since the start. */
  readonly lost: () => number
  /** Number of files or lines deleted since the start because of the size limit. */
  readonly removed: () => number
  /** Resolves when every queued line is written. */
  readonly drain: () => Promise<void>
}

/**
 * The maximum number of queued lines. If the disk or database is slower than that, lines are
 * dropped and counted.
 */
const MOST_WAITING = 1_000

interface PendingTurn {
  /** The turn as it was last stored. */
  turn: MoaTurn
  lines: number
  problem: string | null
}

/** How many turns with a lost line are remembered while they continue. */
const MOST = 1_000

/** Records in stored turns why their texts are missing when a line could not be written. */
interface TraceStatus {
  /** Returns the turn to store. `isWritten` is true while one of its lines is being written. */
  readonly annotate: (turn: MoaTurn, isWritten: boolean) => MoaTurn
  /** Call it when a line was written or lost. It returns the turn if it has to be stored again. */
  readonly completeLine: (id: string, problem: string | null) => MoaTurn | undefined
}

export function openTraces(options: TracesOptions): Traces {
  const { kept, secrets = () => [] } = options
  let queue: Promise<void> = Promise.resolve()
  let waiting = 0
  let problem: string | null = null
  let lost = 0
  const recordLoss = (why: string): string => {
    lost += 1
    problem = why
    return why
  }
  const put = async (session: string, record: () => TraceRecord): Promise<string | null> => {
    // Requests that are being answered come first.
    await later()
    try {
      const made = record()
      const json = maskKeys(JSON.stringify(made), secrets(), escapeForJson)
      problem = await kept.put({ session, turn: made.turn_id, json })
      return null
    } catch (error) {
      return recordLoss((error as Error).message)
    }
  }
  return {
    write: (session, record, ended) => {
      if (waiting >= MOST_WAITING) {
        const why = recordLoss('Turns finish faster than their traces can be saved.')
        ended?.(why)
        return
      }
      waiting += 1
      queue = queue.then(async () => {
        const why = await put(session, record)
        waiting -= 1
        ended?.(why)
      })
    },
    problem: () => problem,
    lost: () => lost,
    removed: kept.removed,
    drain: () => queue,
  }
}

const escapeForJson = (key: string): string => JSON.stringify(key).slice(1, -1)

/** Trace storage in the event store, for every hub that serves the space. */
export function createStoreTraces(lines: TraceLines, bounds: TraceBounds): TraceStore {
  let removed = 0
  return {
    folder: null,
    put: async (line) => {
      if (Buffer.byteLength(line.json) > LONGEST_LINE)
        throw new Error(`Traces over ${LONGEST_LINE / 1_048_576} MB are not saved.`)
      const put = await lines.put(line, bounds)
      if (!put.ok) throw new Error(put.message)
      removed += put.value
      return null
    },
    removed: () => removed,
    read: async ({ session, turn, most = MOST_RECORDS }) => {
      const read = await lines.read({ session, turn, most, mostBytes: MOST_BYTES })
      if (!read.ok) return read
      const records = read.value.lines
        .map((line) => parseRecord(Buffer.from(line)))
        .filter((record): record is TraceRecord => record !== undefined)
      const unreadable = read.value.lines.length - records.length
      return success({ records, older: read.value.older, unreadable })
    },
    sessions: (begin = '') => lines.sessions(begin, MOST_SESSIONS),
    findSession: lines.findSession,
    forget: lines.forget,
    bytes: lines.bytes,
  }
}

export function createTraceStatus(): TraceStatus {
  const pending = new Map<string, PendingTurn>()
  const withProblem = ({ turn, problem }: PendingTurn): MoaTurn =>
    problem === null ? turn : { ...turn, traced: false, trace_problem: problem }
  return {
    annotate: (turn, isWritten) => {
      const before = pending.get(turn.id)
      if (before === undefined && !isWritten) return turn
      const one = before ?? { turn, lines: 0, problem: null }
      one.turn = turn
      if (isWritten) one.lines += 1
      pending.set(turn.id, one)
      const [oldest] = pending.keys()
      if (pending.size > MOST && oldest !== undefined) pending.delete(oldest)
      return withProblem(one)
    },
    completeLine: (id, problem) => {
      const one = pending.get(id)
      if (one === undefined) return undefined
      one.lines -= 1
      one.problem ??= problem
      if (one.lines === 0 && one.problem === null) pending.delete(id)
      return problem === null ? undefined : withProblem(one)
    },
  }
}
