import { randomUUID } from 'node:crypto'
import type { AgentRequest, AnswerRequest, Problem } from '@panoptes/schema'
import { type Answer, fitAnswer } from './permission-answer.ts'

export type RequestInput = Omit<AgentRequest, 'request_id' | 'since' | 'expires_at' | 'choices'>

/** The result of an answer. A request accepts only answers for its own agent that fit its own questions. */
export type Taken =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not_waiting' }
  | { readonly kind: 'unfit'; readonly problems: readonly Problem[] }

/** Requests that agents hold open, for a bounded time, until a person answers on the page. */
export interface Requests {
  readonly list: () => readonly AgentRequest[]
  /**
   * Resolves with the answer, or with undefined when none came in time, the agent went away, or too many
   * requests are open.
   */
  readonly ask: (input: RequestInput, waitMs: number, gone: AbortSignal) => Promise<Answer | undefined>
  readonly answer: (of: { readonly session: string; readonly agent: string }, reply: AnswerRequest) => Taken
  /** Releases every request without an answer. */
  readonly close: () => void
}

const MOST = 256

export function createRequests(now: () => number = Date.now): Requests {
  const waiting = new Map<
    string,
    { readonly request: AgentRequest; readonly end: (answer?: Answer) => void }
  >()
  let closed = false
  return {
    list: () => [...waiting.values()].map(({ request }) => request),
    ask: (input, waitMs, gone) => {
      if (closed || gone.aborted || waitMs <= 0 || waiting.size >= MOST) return Promise.resolve(undefined)
      const request_id = randomUUID()
      const since = now()
      const request: AgentRequest = {
        request_id,
        ...input,
        since,
        expires_at: since + waitMs,
        choices: ['allow', 'deny'],
      }
      return new Promise((resolve) => {
        const end = (answer?: Answer) => {
          clearTimeout(limit)
          gone.removeEventListener('abort', leave)
          waiting.delete(request_id)
          resolve(answer)
        }
        const leave = () => end()
        const limit = setTimeout(leave, waitMs)
        gone.addEventListener('abort', leave, { once: true })
        waiting.set(request_id, { request, end })
      })
    },
    answer: ({ session, agent }, reply) => {
      const found = waiting.get(reply.request_id)
      if (found?.request.session_id !== session || found.request.agent_id !== agent) {
        return { kind: 'not_waiting' }
      }
      const fit = fitAnswer(found.request.questions, reply)
      if ('problems' in fit) return { kind: 'unfit', problems: fit.problems }
      found.end(fit.answer)
      return { kind: 'taken' }
    },
    close: () => {
      closed = true
      for (const { end } of [...waiting.values()]) end()
    },
  }
}
