import { setImmediate } from 'node:timers/promises'
import type { Listed } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/threads'
import type { Failure, Result } from '@panoptes/schema'
import type { ReaderCalls, WorkerSetup } from './calls.ts'
import { type PackedPart, unpackPart } from './part-codec.ts'
import type { ReadPart } from './read-part.ts'

/** Parts that are asked for before they are needed. */
const AHEAD = 8
/** Sessions that are read here before it is looked whether the thread is there. */
const MEANWHILE = 16

/**
 * Reads sessions on a thread of its own while what was read before is written, so that a first index takes half the time. The
 * thread is there only as long as there is something to read.
 */
export async function* readElsewhere(
  script: URL,
  setup: WorkerSetup,
  source: string,
  listed: readonly Listed[],
  /** Reads until the thread is there: to start one takes as long as reading hundreds of sessions. */
  here?: (listed: readonly Listed[]) => AsyncIterable<ReadPart>,
): AsyncGenerator<ReadPart> {
  const thread = new Thread<{ [M in keyof ReaderCalls]: ReaderCalls[M] }>({
    script,
    name: 'sessions-reader',
    data: { ...setup, role: 'reader' } satisfies WorkerSetup,
    what: 'Reading sessions',
  })
  try {
    let isThere = false
    const opened = thread.call('open', []).finally(() => {
      isThere = true
    })
    let at = 0
    while (here !== undefined && !isThere && at < listed.length) {
      yield* here(listed.slice(at, at + MEANWHILE))
      at += MEANWHILE
      await setImmediate()
    }
    const ready = await opened
    const started = ready.ok ? await thread.call('start', [source, listed.slice(at)]) : ready
    if (!started.ok) yield failedWith(started)
    const asked: Promise<Result<PackedPart | null>>[] = []
    while (started.ok) {
      while (asked.length < AHEAD) asked.push(thread.call('next', []))
      const part = await asked.shift()
      if (part === undefined || (part.ok && part.value === null)) return
      yield part.ok && part.value !== null ? unpackPart(part.value) : failedWith(part as Failure)
      if (!part.ok) return
    }
  } finally {
    await thread.call('close', [])
    await thread.end()
  }
}

const failedWith = (problem: Failure): ReadPart => ({ changes: [], done: 0, problems: [problem] })
