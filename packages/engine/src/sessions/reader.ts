import { setImmediate } from 'node:timers/promises'
import type { Listed } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import type { ReaderCalls, WorkerSetup } from './calls.ts'
import { type PackedPart, unpackPart } from './part-codec.ts'
import type { ReadPart } from './read-part.ts'

/** The young generation of a thread that reads. Much text passes through it, and none of it stays. */
export const READING_YOUNG_MB = 24

/** The number of parts requested ahead of time. */
const AHEAD = 8
/** The number of sessions sent to the worker at a time, and the most it may have queued. */
const BATCH_SIZE = 16
const MAX_PENDING = 64
/** The number of sessions read on this thread while nothing arrives from the worker. */
const MEANWHILE = 4

/**
 * Reads sessions in a worker while earlier results are written, which halves the time of a first index. A
 * writer without work reads the next sessions itself, so that the order is kept, or almost: the session
 * written first counts as the newest. The worker lives only as long as there is something to read; if it
 * dies, this thread reads the rest.
 */
export async function* readElsewhere(
  script: URL,
  setup: WorkerSetup,
  source: string,
  listed: readonly Listed[],
  here: (listed: readonly Listed[]) => AsyncIterable<ReadPart>,
): AsyncGenerator<ReadPart> {
  const thread = new Thread<{ [M in keyof ReaderCalls]: ReaderCalls[M] }>({
    script,
    name: 'sessions-reader',
    data: { ...setup, role: 'reader' } satisfies WorkerSetup,
    what: 'Reading sessions',
    young: READING_YOUNG_MB,
  })
  const requests: PartRequest[] = []
  const pending: Listed[] = []
  const begun = noted(thread.call('more', [source, []]))
  let at = 0
  // A session in several parts must not be interleaved with another.
  let isOpen = false
  try {
    while (at < listed.length || pending.length > 0) {
      const isThere = await isHere(begun)
      while (isThere && at < listed.length && pending.length < MAX_PENDING) {
        const more = listed.slice(at, at + BATCH_SIZE)
        at += more.length
        pending.push(...more)
        void thread.call('more', [source, more])
      }
      while (isThere && requests.length < AHEAD) requests.push(noted(thread.call('next', [])))
      if (!isOpen && at < listed.length && !(isThere && (await isHere(requests[0])))) {
        const some = listed.slice(at, at + MEANWHILE)
        at += some.length
        yield* here(some)
        continue
      }
      const part = await requests.shift()?.part
      if (part?.ok === false) {
        yield* here([...pending, ...listed.slice(at)])
        return
      }
      if (!part?.value) continue
      const read = unpackPart(part.value)
      pending.splice(0, read.done)
      isOpen = endsOpen(read)
      yield read
    }
  } finally {
    const ending = thread.call('close', []).then(() => thread.end())
    // A worker that has not answered yet is still starting, and this thread does not wait for that.
    if (begun.isHere) await ending
  }
}

interface PartRequest<T = PackedPart | null> {
  readonly part: Promise<Result<T>>
  isHere: boolean
}

function noted<T>(part: Promise<Result<T>>): PartRequest<T> {
  const request: PartRequest<T> = { part, isHere: false }
  void part.then(() => {
    request.isHere = true
  })
  return request
}

async function isHere(request: PartRequest<unknown> | undefined): Promise<boolean> {
  if (request?.isHere === false) await setImmediate()
  return request?.isHere !== false
}

const endsOpen = ({ changes }: ReadPart): boolean =>
  ['begin', 'agent', 'messages', 'chunk'].includes(changes.at(-1)?.type ?? '')
