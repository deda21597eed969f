import { setImmediate as later } from 'node:timers/promises'
import type { TraceRecord } from '@panoptes/schema'
import { withoutKeys } from '../keys.ts'
import type { KeptTraces } from './port.ts'

export interface TracesOptions {
  readonly kept: Pick<KeptTraces, 'put' | 'removed'>
  /** The keys of providers, which are in no line, wherever they were read. */
  readonly secrets?: (() => readonly string[]) | undefined
}

/** Writes turns down, one line each, beside the turns themselves: nobody waits for it, and it breaks nothing. */
export interface Traces {
  /** Whoever gave the line is told when it is written, or why it was lost. */
  readonly write: (
    session: string,
    record: () => TraceRecord,
    ended?: (problem: string | null) => void,
  ) => void
  /** Why the last line could not be written; null where all is well. */
  readonly problem: () => string | null
  /** Lines that were lost since the start. */
  readonly lost: () => number
  /** What went since the start, because all together was too much. */
  readonly removed: () => number
  /** When all that was given is written. */
  readonly settled: () => Promise<void>
}

/** Lines that may wait; a disk or a database that is slower than that loses some, and that is said. */
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
    // Whoever is just being answered comes first.
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
        const why = lose('Turns end faster than they can be written down.')
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
