import { forgettable } from '@panoptes/engine/sessions'
import {
  forgetInput,
  forgettableQuery,
  forgettableReply,
  forgotReply,
  type SessionRef,
} from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** Sessions out of everything that is kept of them, for good. */
export function forgetRoutes({ options: { sessions, ledger, forget }, stream }: Kit): readonly Route[] {
  if (sessions === undefined || forget === undefined) return []
  const answer = async (refs: readonly SessionRef[]) => {
    const forgot = await forget(refs)
    stream.forgot()
    return forgot.ok ? json(forgot.value) : refusalOf(forgot)
  }
  return [
    route({
      method: 'GET',
      path: '/api/past/forgettable',
      scope: 'full',
      summary:
        'The sessions that a pattern fits: by the beginning of their id, or by title or project; * stands for anything.',
      query: forgettableQuery,
      reply: { type: JSON_TYPE, schema: forgettableReply },
      answer: async ({ query: { pattern } }) => {
        const found = await forgettable(sessions, ledger, pattern)
        return found.ok ? json(found.value) : refusalOf(found)
      },
    }),
    route({
      method: 'POST',
      path: '/api/past/forget',
      scope: 'full',
      role: 'admin',
      summary:
        'Remove these sessions for good, and say how much that was. The files of the agents are not touched.',
      body: forgetInput,
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: ({ body: { sessions: refs }, about }) => {
        about(`${refs.length} sessions`)
        return answer(refs)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/past/sessions/:source/:id',
      scope: 'full',
      role: 'admin',
      summary:
        'Remove one session for good, and say how much that was. The files of the agent are not touched.',
      params: z.object({ source: z.string(), id: z.string() }),
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: ({ params }) => answer([params]),
    }),
  ]
}
