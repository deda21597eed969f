import { parentPort } from 'node:worker_threads'
import type { Failure } from '@panoptes/schema'
import type { Job, Reply, Request } from './messages.ts'

export type Handlers<Calls> = {
  readonly [M in keyof Calls]: Calls[M] extends (...args: infer A) => infer R
    ? (job: Job, ...args: A) => R | Promise<R>
    : never
}

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
