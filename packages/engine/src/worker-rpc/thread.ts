import { Worker } from 'node:worker_threads'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Reply, Work } from './serve.ts'

interface Pending {
  readonly settle: (result: Result<unknown>) => void
  readonly progress: ((done: number, total: number) => void) | undefined
  readonly part: ((part: readonly unknown[]) => void) | undefined
}

export type Calls = { readonly [method: string]: (...args: never[]) => unknown }
export type ArgsOf<F> = F extends (...args: infer A) => unknown ? A : never
export type ReplyOf<F> = F extends (...args: never[]) => infer R ? R : never

/** A closed thread may take this long to end. On a busy machine ending takes seconds. */
const END_MS = 10_000

/**
 * The size of V8's young generation in megabytes, which consists of three equal parts. Event text is
 * short-lived, so a thread needs little; V8 would let it grow to 192.
 */
const YOUNG_MB = 3

export interface ThreadSetup {
  readonly script: URL
  readonly name: string
  readonly data: unknown
  /** Names what the thread works on, for the message that it stopped. */
  readonly what: string
  /**
   * The size of the young generation in megabytes. If it is too small, V8 copies many objects that are about
   * to be freed.
   */
  readonly young?: number | undefined
}

/** One thread of the engine, called like an object. It never throws: a dead thread answers with a failure. */
export class Thread<C extends Calls> {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #what: string
  readonly #ended: Promise<void>
  #next = 1
  #dead: string | undefined

  constructor({ script, name, data, what, young = YOUNG_MB }: ThreadSetup) {
    this.#what = what
    this.#worker = new Worker(script, {
      workerData: data,
      name,
      resourceLimits: { maxYoungGenerationSizeMb: young, maxOldGenerationSizeMb: 256 },
    })
    this.#worker.on('message', (reply: Reply) => this.#take(reply))
    this.#worker.on('error', (error: unknown) =>
      this.#die(error instanceof Error ? error.message : String(error)),
    )
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#die('its thread ended')
        resolve()
      })
    })
  }

  /** Returns whether the thread no longer answers. */
  get isDead(): boolean {
    return this.#dead !== undefined
  }

  call<M extends keyof C & string>(
    method: M,
    args: ArgsOf<C[M]>,
    work: Work = {},
    part?: (part: readonly unknown[]) => void,
  ): Promise<Result<ReplyOf<C[M]>>> {
    if (this.#dead !== undefined) return Promise.resolve(this.#deadFailure())
    if (work.signal?.aborted) return Promise.resolve(failure('stopped', 'Stopped before it started.'))
    const id = this.#next
    this.#next += 1
    return new Promise((resolve) => {
      const stop = () => this.#worker.postMessage({ stop: id })
      const settle = (result: Result<unknown>) => {
        work.signal?.removeEventListener('abort', stop)
        resolve(result as Result<ReplyOf<C[M]>>)
      }
      this.#pending.set(id, { settle, progress: work.onProgress, part })
      this.#worker.postMessage({ id, method, args })
      work.signal?.addEventListener('abort', stop)
    })
  }

  /**
   * Waits until a closed thread ends on its own, and terminates one that does not. A thread that is
   * terminated in the middle of its work can crash the process.
   */
  async end(): Promise<void> {
    this.#worker.unref()
    const patience = setTimeout(() => void this.#worker.terminate(), END_MS)
    await this.#ended
    clearTimeout(patience)
  }

  #take(reply: Reply): void {
    const pending = this.#pending.get(reply.id)
    if (pending === undefined) return
    if ('done' in reply) {
      pending.progress?.(reply.done, reply.total)
      return
    }
    if ('part' in reply) {
      pending.part?.(reply.part)
      return
    }
    this.#pending.delete(reply.id)
    pending.settle('failure' in reply ? reply.failure : success(reply.value))
  }

  #die(reason: string): void {
    this.#dead ??= reason
    for (const pending of this.#pending.values()) pending.settle(this.#deadFailure())
    this.#pending.clear()
  }

  #deadFailure() {
    return failure('io', `${this.#what} stopped working: ${this.#dead}. Restart Panoptes.`)
  }
}
