import { setImmediate } from 'node:timers/promises'
import type { Listed } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import type { ReaderCalls, WorkerSetup } from './calls.ts'
import { type PackedPart, unpackPart } from './part-codec.ts'
import type { ReadPart } from './read-part.ts'

/** Parts that are asked for before they are needed. */
const AHEAD = 8
/** Sessions that the thread is given at a time, and that it may have before it. */
const GIVEN = 16
const MOST_GIVEN = 64
/** Sessions that are read here while nothing comes from the thread. */
const MEANWHILE = 4

/**
 * Reads sessions on a thread of its own while what was read before is written, so that a first index takes half the time. Whoever
 * writes and has nothing to write reads the next ones itself, so they come in their order, or nearly so: what is written first is
 * taken for the newest. The thread is there only as long as there is something to read; should it die, the rest is read here.
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
  })
  const asked: Asked[] = []
  const given: Listed[] = []
  const begun = noted(thread.call('more', [source, []]))
  let at = 0
  // A session that comes in parts is not interrupted by another.
  let isOpen = false
  try {
    while (at < listed.length || given.length > 0) {
      const isThere = await isHere(begun)
      while (isThere && at < listed.length && given.length < MOST_GIVEN) {
        const more = listed.slice(at, at + GIVEN)
        at += more.length
        given.push(...more)
        void thread.call('more', [source, more])
      }
      while (isThere && asked.length < AHEAD) asked.push(noted(thread.call('next', [])))
      if (!isOpen && at < listed.length && !(isThere && (await isHere(asked[0])))) {
        const some = listed.slice(at, at + MEANWHILE)
        at += some.length
        yield* here(some)
        continue
      }
      const part = await asked.shift()?.part
      if (part?.ok === false) {
        yield* here([...given, ...listed.slice(at)])
        return
      }
      if (!part?.value) continue
      const read = unpackPart(part.value)
      given.splice(0, read.done)
      isOpen = endsOpen(read)
      yield read
    }
  } finally {
    const ending = thread.call('close', []).then(() => thread.end())
    // One that has not answered yet is still starting: nobody waits for that.
    if (begun.isHere) await ending
  }
}

interface Asked<T = PackedPart | null> {
  readonly part: Promise<Result<T>>
  isHere: boolean
}

function noted<T>(part: Promise<Result<T>>): Asked<T> {
  const asked: Asked<T> = { part, isHere: false }
  void part.then(() => {
    asked.isHere = true
  })
  return asked
}

async function isHere(asked: Asked<unknown> | undefined): Promise<boolean> {
  if (asked?.isHere === false) await setImmediate()
  return asked?.isHere !== false
}

const endsOpen = ({ changes }: ReadPart): boolean =>
  ['begin', 'agent', 'messages'].includes(changes.at(-1)?.type ?? '')
