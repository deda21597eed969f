import { setImmediate } from 'node:timers/promises'
import type { Failure, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Marks } from './port.ts'

/** The append of one caller: its events as JSON text, and its marks. */
export interface Batch {
  readonly lines: readonly string[]
  readonly marks?: Marks | undefined
}

/** The result of one batch: the seq of its first new event, and which of its lines were duplicates. */
export interface Written {
  readonly first: number
  readonly duplicates: readonly number[]
  readonly last: number
}

/** Waiting appends are merged into one commit of at most this many events. */
const MOST_MERGED = 5_000
/** When more bytes than this wait, callers are asked to try again later. */
const MOST_WAITING_BYTES = 67_108_864

type Commit = (batches: readonly Batch[]) => Promise<Result<readonly (Written | Failure)[]>>

interface Waiting {
  readonly batch: Batch
  readonly bytes: number
  readonly settle: (result: Result<Written>) => void
}

/**
 * Merges appends that arrive while a commit is under way, so that many callers share the next commit. An
 * append that comes alone is committed at once.
 */
export class AppendQueue {
  readonly #commit: Commit
  #waiting: Waiting[] = []
  #bytes = 0
  /** The number of events in the current commit. */
  #storing = 0
  #running: Promise<void> | undefined

  constructor(commit: Commit) {
    this.#commit = commit
  }

  append(batch: Batch): Promise<Result<Written>> {
    if (this.#bytes > MOST_WAITING_BYTES)
      return Promise.resolve(
        failure('busy', 'Too many events are waiting to be stored. Try again in a second.'),
      )
    const bytes = batch.lines.reduce((sum, line) => sum + line.length, 0)
    this.#bytes += bytes
    return new Promise((settle) => {
      this.#waiting.push({ batch, bytes, settle })
      this.#running ??= this.#run()
    })
  }

  /** Returns what the queue accepted and has not stored yet. */
  get waiting(): { readonly events: number; readonly bytes: number } {
    const events = this.#waiting.reduce((sum, { batch }) => sum + batch.lines.length, this.#storing)
    return { events, bytes: this.#bytes }
  }

  async drain(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#take()
      this.#storing = group.reduce((sum, { batch }) => sum + batch.lines.length, 0)
      const reply = await this.#commit(group.map((waiting) => waiting.batch))
      this.#storing = 0
      group.forEach((waiting, i) => {
        this.#bytes -= waiting.bytes
        waiting.settle(toResult(reply, i))
      })
      // Callers that were answered together often append again at once, in the same turn of the event loop.
      // Without this pause the first of them would get a commit of its own, and all others would wait for it.
      if (group.length + this.#waiting.length > 1) await setImmediate()
    }
    this.#running = undefined
  }

  #take(): readonly Waiting[] {
    let events = 0
    let taken = 0
    for (const waiting of this.#waiting) {
      if (taken > 0 && events + waiting.batch.lines.length > MOST_MERGED) break
      events += waiting.batch.lines.length
      taken += 1
    }
    const group = this.#waiting.slice(0, taken)
    this.#waiting = this.#waiting.slice(taken)
    return group
  }
}

function toResult(reply: Result<readonly (Written | Failure)[]>, i: number): Result<Written> {
  if (!reply.ok) return reply
  const written = reply.value[i]
  if (written === undefined) return failure('io', 'The store did not respond. Try again.')
  return 'ok' in written ? written : success(written)
}
