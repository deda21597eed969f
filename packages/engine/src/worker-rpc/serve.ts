import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Failure, Result } from '@panoptes/schema'

export type Handlers<Calls> = {
  readonly [M in keyof Calls]: Calls[M] extends (...args: infer A) => infer R
    ? (job: Job, ...args: A) => R | Promise<R>
    : never
}

type Request =
  | { readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly stop: number }

export type Reply =
  | { readonly id: number; readonly done: number; readonly total: number }
  /** The beginning of a list that is too long to transfer at once. The rest follows. */
  | { readonly id: number; readonly part: readonly unknown[] }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: Failure }

/** Holds what a caller may pass to a long call: a callback for its progress, and a signal to stop it. */
export interface Work {
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Holds the same options on the thread's side. */
export interface Job {
  readonly progress: (done: number, total: number) => void
  readonly stopped: () => boolean
  /** Sends a part of a long list before the answer. */
  readonly part: (part: readonly unknown[]) => void
}

const LOOK_MS = 50

const LOW = 10

/** Answers the calls of this thread. `close` is the last one: after it the thread ends on its own. */
export function serve<Calls>(calls: Handlers<Calls>, toFailure: (error: unknown) => Failure): void {
  const handlers = calls as unknown as Record<string, (job: Job, ...args: readonly unknown[]) => unknown>
  const stopped = new Set<number>()
  let closing = false
  parentPort?.on('message', async (request: Request) => {
    if ('stop' in request) {
      stopped.add(request.stop)
      return
    }
    const { id, method, args } = request
    if (method === 'close') closing = true
    const answer = (reply: Reply) => parentPort?.postMessage(reply)
    const job: Job = {
      progress: (done, total) => answer({ id, done, total }),
      stopped: () => closing || stopped.has(id),
      part: (part) => answer({ id, part }),
    }
    try {
      const handler = handlers[method]
      if (handler === undefined) throw new Error(`no such call: ${method}`)
      answer({ id, value: await handler(job, ...args) })
    } catch (error) {
      answer({ id, failure: toFailure(error) })
    } finally {
      stopped.delete(id)
      if (method === 'close') parentPort?.close()
    }
  })
}

/** Exposes a job's stop flag as a signal, for work that takes one. */
export function createStopSignal(job: Job): { readonly signal: AbortSignal; readonly end: () => void } {
  const stop = new AbortController()
  const timer = setInterval(() => job.stopped() && stop.abort(), LOOK_MS)
  return { signal: stop.signal, end: () => clearInterval(timer) }
}

/** A failure on its way into a thread's answer. Its message is already a complete sentence. */
export class Refused extends Error {
  readonly failure: Failure
  constructor(refused: Failure) {
    super(refused.message)
    this.failure = refused
  }
}

export function orThrow<T>(result: Result<T>): T {
  if (!result.ok) throw new Refused(result)
  return result.value
}

/**
 * Lowers this thread's priority, so that threads that answer people go first. Only Linux supports this for a
 * single thread.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOW)
  } catch {
    // If the system does not allow it, the thread continues at its normal priority.
  }
}
