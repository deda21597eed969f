import { join } from 'node:path'
import { setImmediate as later } from 'node:timers/promises'
import type { TraceRecord } from '@panoptes/schema'
import { traceName } from './place.ts'
import { putLine } from './put-line.ts'

export interface TracesOptions {
  readonly folder: string
  /** What the file of a session has at most; as much again is kept of what came before. */
  readonly maxBytes: number
  /** The keys of providers, which are in no line, wherever they were read. */
  readonly secrets?: (() => readonly string[]) | undefined
}

/** Writes turns down, one line each, beside the turns themselves: nobody waits for it, and it breaks nothing. */
export interface Traces {
  readonly write: (session: string, record: () => TraceRecord) => void
  /** Why the last line could not be written; null where all is well. */
  readonly problem: () => string | null
  /** Lines that were lost since the start. */
  readonly lost: () => number
  /** When all that was given is written. */
  readonly settled: () => Promise<void>
}

/** Lines that may wait; a disk that is slower than that loses some, and that is said. */
const MOST_WAITING = 1_000

export function openTraces({ folder, maxBytes, secrets = () => [] }: TracesOptions): Traces {
  let queue: Promise<void> = Promise.resolve()
  let waiting = 0
  let problem: string | null = null
  let lost = 0
  const one = async (session: string, record: () => TraceRecord): Promise<void> => {
    // Whoever is just being answered comes first.
    await later()
    try {
      const line = without(JSON.stringify(record()), secrets())
      await putLine(join(folder, traceName(session)), `${line}\n`, maxBytes)
      problem = null
    } catch (error) {
      lost += 1
      problem = (error as Error).message
    }
    waiting -= 1
  }
  return {
    write: (session, record) => {
      if (waiting >= MOST_WAITING) {
        lost += 1
        problem = 'Turns end faster than they can be written down.'
        return
      }
      waiting += 1
      queue = queue.then(() => one(session, record))
    },
    problem: () => problem,
    lost: () => lost,
    settled: () => queue,
  }
}

const SHORTEST_SECRET = 8

function without(line: string, secrets: readonly string[]): string {
  let clean = line
  for (const secret of secrets)
    if (secret.length >= SHORTEST_SECRET)
      clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), '[redacted]')
  return clean
}
