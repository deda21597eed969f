import { randomUUID } from 'node:crypto'
import type { AgentRequest } from '@panoptes/schema'

export type Choice = AgentRequest['choices'][number]
export type Asked = Omit<AgentRequest, 'request_id' | 'since' | 'expires_at' | 'choices'>

/** Questions that agents wait with, for a bounded time, for a person at the page. */
export interface Requests {
  readonly list: () => readonly AgentRequest[]
  /** The answer; nothing when none came in time, when the agent went away, or when too many wait already. */
  readonly ask: (asked: Asked, waitMs: number, gone: AbortSignal) => Promise<Choice | undefined>
  /** Whether there was such a request, of this agent, to be answered. */
  readonly answer: (of: { session: string; agent: string }, requestId: string, choice: Choice) => boolean
  /** Lets everybody go without an answer. */
  readonly close: () => void
}

const MOST = 256

export function createRequests(now: () => number = Date.now): Requests {
  const waiting = new Map<
    string,
    { readonly request: AgentRequest; readonly end: (choice?: Choice) => void }
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
        const end = (choice?: Choice) => {
          clearTimeout(limit)
          gone.removeEventListener('abort', leave)
          waiting.delete(request_id)
          resolve(choice)
        }
        const leave = () => end()
        const limit = setTimeout(leave, waitMs)
        gone.addEventListener('abort', leave, { once: true })
        waiting.set(request_id, { request, end })
      })
    },
    answer: ({ session, agent }, requestId, choice) => {
      const found = waiting.get(requestId)
      if (found?.request.session_id !== session || found.request.agent_id !== agent) return false
      found.end(choice)
      return true
    },
    close: () => {
      closed = true
      for (const { end } of [...waiting.values()]) end()
    },
  }
}
