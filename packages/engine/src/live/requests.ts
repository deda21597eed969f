import { randomUUID } from 'node:crypto'
import type { AgentRequest, AnswerRequest, Problem } from '@panoptes/schema'
import { type Answer, fitAnswer } from './answers.ts'

export type Asked = Omit<AgentRequest, 'request_id' | 'since' | 'expires_at' | 'choices'>

/** What became of an answer: a request waits only for its own agent, and only for what it asked. */
export type Taken =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not_waiting' }
  | { readonly kind: 'unfit'; readonly problems: readonly Problem[] }

/** What agents wait with, for a bounded time, for a person at the page. */
export interface Requests {
  readonly list: () => readonly AgentRequest[]
  /** The answer; nothing when none came in time, when the agent went away, or when too many wait already. */
  readonly ask: (asked: Asked, waitMs: number, gone: AbortSignal) => Promise<Answer | undefined>
  readonly answer: (of: { readonly session: string; readonly agent: string }, said: AnswerRequest) => Taken
  /** Lets everybody go without an answer. */
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
    ask: (asked, waitMs, gone) => {
      if (closed || gone.aborted || waitMs <= 0 || waiting.size >= MOST) return Promise.resolve(undefined)
      const request_id = randomUUID()
      const since = now()
      const request: AgentRequest = {
        request_id,
        ...asked,
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
    answer: ({ session, agent }, said) => {
      const found = waiting.get(said.request_id)
      if (found?.request.session_id !== session || found.request.agent_id !== agent) {
        return { kind: 'not_waiting' }
      }
      const fit = fitAnswer(found.request.questions, said)
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
