import { setImmediate } from 'node:timers/promises'
import type { Listed } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/threads'
import type { Failure, Result } from '@panoptes/schema'
import type { ReaderCalls, WorkerSetup } from './calls.ts'
import { type PackedPart, unpackPart } from './part-codec.ts'
import type { ReadPart } from './read-part.ts'

/** Parts that are asked for before they are needed. */
const AHEAD = 8
/** Sessions that the thread is given at a time, and that it may have before it. */
const GIVEN = 16
const MOST_GIVEN = 96
const YOUNG_MB = 24
/** Sessions that are read here while nothing comes from the thread. */
const MEANWHILE = 4

/**
 * Reads sessions on a thread of its own while what was read before is written, so that a first index takes half the time. The
 * thread begins with the first of them; whoever writes and has nothing to write reads from the last on. The thread is there only as
 * long as there is something to read.
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
    young: YOUNG_MB,
  })
  const asked: Asked[] = []
  let front = 0
  let back = listed.length
  let pending = 0
  // A session that comes in parts is not interrupted by another.
  let isOpen = false
  try {
    while (front < back || pending > 0) {
      while (front < back && pending < MOST_GIVEN) {
        const given = listed.slice(front, Math.min(back, front + GIVEN))
        front += given.length
        pending += given.length
        void thread.call('more', [source, given])
      }
      while (asked.length < AHEAD) asked.push(noted(thread.call('next', [])))
      if (!isOpen && front < back && !(await isHere(asked[0]))) {
        const rest = listed.slice(Math.max(front, back - MEANWHILE), back)
        back -= rest.length
        yield* here(rest)
        continue
      }
      const part = await asked.shift()?.part
      if (part?.ok === false) {
        yield failedWith(part)
        return
      }
      if (!part?.value) continue
      const read = unpackPart(part.value)
      pending -= read.done
      isOpen = endsOpen(read)
      yield read
    }
  } finally {
    await thread.call('close', [])
    await thread.end()
  }
}

interface Asked {
  readonly part: Promise<Result<PackedPart | null>>
  isHere: boolean
}

function noted(part: Promise<Result<PackedPart | null>>): Asked {
  const asked: Asked = { part, isHere: false }
  void part.then(() => {
    asked.isHere = true
  })
  return asked
}

async function isHere(asked: Asked | undefined): Promise<boolean> {
  if (asked?.isHere === false) await setImmediate()
  return asked?.isHere !== false
}

const endsOpen = ({ changes }: ReadPart): boolean =>
  ['begin', 'agent', 'messages'].includes(changes.at(-1)?.type ?? '')

const failedWith = (problem: Failure): ReadPart => ({ changes: [], done: 0, problems: [problem] })
