import { setImmediate as later } from 'node:timers/promises'
import type { TraceRecord } from '@panoptes/schema'
import { withoutKeys } from '../keys.ts'
import type { TraceStore } from './port.ts'

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
  readonly settled: () => Promise<void>
}

/**
 * The maximum number of queued lines. If the disk or database is slower than that, lines are
 * dropped and counted.
 */
const MOST_WAITING = 1_000

export function openTraces(options: TracesOptions): Traces {
  const { kept, secrets = () => [] } = options
  let queue: Promise<void> = Promise.resolve()
  let waiting = 0
  let problem: string | null = null
  let lost = 0
  const lose = (why: string): string => {
    lost += 1
    problem = why
    return why
  }
  const put = async (session: string, record: () => TraceRecord): Promise<string | null> => {
    // Requests that are being answered come first.
    await later()
    try {
      const made = record()
      const json = withoutKeys(JSON.stringify(made), secrets(), inJson)
      problem = await kept.put({ session, turn: made.turn_id, json })
      return null
    } catch (error) {
      return lose((error as Error).message)
    }
  }
  return {
    write: (session, record, ended) => {
      if (waiting >= MOST_WAITING) {
        const why = lose('Turns finish faster than their traces can be saved.')
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
    settled: () => queue,
  }
}

const inJson = (key: string): string => JSON.stringify(key).slice(1, -1)
