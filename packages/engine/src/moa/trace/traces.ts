import { appendFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@panoptes/engine/home'
import type { TraceRecord } from '@panoptes/schema'
import { traceName } from './place.ts'

export interface TracesOptions {
  readonly folder: string
  readonly maxBytes: number
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

export function openTraces({ folder, maxBytes }: TracesOptions): Traces {
  const sizes = new Map<string, number>()
  let queue: Promise<void> = Promise.resolve()
  let waiting = 0
  let problem: string | null = null
  let lost = 0
  const one = async (session: string, record: () => TraceRecord): Promise<void> => {
    try {
      await put(join(folder, traceName(session)), `${JSON.stringify(record())}\n`)
      problem = null
    } catch (error) {
      lost += 1
      problem = (error as Error).message
    }
    waiting -= 1
  }
  /** Traces may be deleted at any time: what was known of a file is then looked up again, and the line is not lost. */
  const put = async (file: string, line: string): Promise<void> => {
    try {
      await append(file, line)
    } catch (error) {
      if (!sizes.delete(file)) throw error
      await append(file, line)
    }
  }
  const append = async (file: string, line: string): Promise<void> => {
    const bytes = Buffer.byteLength(line)
    const size = sizes.get(file) ?? (await sizeOf(file))
    if (size === 0) await makeFolder(folder)
    const isFull = size > 0 && size + bytes > maxBytes
    if (isFull) await rename(file, file.replace(/\.jsonl$/, '.1.jsonl'))
    await appendFile(file, line, { mode: 0o600 })
    sizes.set(file, (isFull ? 0 : size) + bytes)
    const [oldest] = sizes.keys()
    if (sizes.size > MOST_WAITING && oldest !== undefined) sizes.delete(oldest)
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

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    return 0
  }
}
