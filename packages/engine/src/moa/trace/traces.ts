import { join } from 'node:path'
import { setImmediate as later } from 'node:timers/promises'
import type { TraceRecord } from '@panoptes/schema'
import { withoutKeys } from '../keys.ts'
import { type FolderCap, folderCap } from './folder-cap.ts'
import { traceName } from './place.ts'
import { putLine } from './put-line.ts'

export interface TracesOptions {
  readonly folder: string
  /** What the file of a session has at most; as much again is kept of what came before. */
  readonly maxBytes: number
  /** What all files together have at most; the oldest go first. */
  readonly maxFolderBytes?: number | undefined
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
  /** Files that went since the start, because all together were too much. */
  readonly removed: () => number
  /** When all that was given is written. */
  readonly settled: () => Promise<void>
}

/** Lines that may wait; a disk that is slower than that loses some, and that is said. */
const MOST_WAITING = 1_000

export function openTraces(options: TracesOptions): Traces {
  const { folder, maxBytes, maxFolderBytes = Number.POSITIVE_INFINITY, secrets = () => [] } = options
  const cap: FolderCap = folderCap(folder, maxFolderBytes)
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
    const file = join(folder, traceName(session))
    try {
      const line = `${withoutKeys(JSON.stringify(record()), secrets(), inJson)}\n`
      await putLine(file, line, maxBytes)
      problem = null
      // What was written is written, also where nothing can be taken away.
      await cap.wrote(file, Buffer.byteLength(line)).catch((error: Error) => {
        problem = error.message
      })
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
    removed: cap.removed,
    settled: () => queue,
  }
}

const inJson = (key: string): string => JSON.stringify(key).slice(1, -1)
