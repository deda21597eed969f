import { forgettable } from '@panoptes/engine/sessions'
import {
  forgetInput,
  forgettableQuery,
  forgettableReply,
  forgotReply,
  type SessionRef,
} from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { JSON_TYPE, jsonReply, type Route, route } from '../route.ts'

/** Removes sessions for good from everything that is stored. */
export function forgetRoutes({ options: { sessions, store, forget }, stream }: AppContext): readonly Route[] {
  if (sessions === undefined || forget === undefined) return []
  const answer = async (refs: readonly SessionRef[]) => {
    const forgot = await forget(refs)
    stream.restart()
    return jsonReply(forgot)
  }
  return [
    route({
      method: 'GET',
      path: '/api/past/forgettable',
      scope: 'full',
      summary:
        'Sessions that match a pattern: the beginning of an id, or a whole title or project. * matches any text.',
      query: forgettableQuery,
      reply: { type: JSON_TYPE, schema: forgettableReply },
      answer: async ({ query: { pattern } }) => {
        const found = await forgettable(sessions, store, pattern)
        return jsonReply(found)
      },
    }),
    route({
      method: 'POST',
      path: '/api/past/forget',
      scope: 'full',
      role: 'admin',
      summary:
        'Permanently remove these sessions and return how much was removed. The agents’ own files are not touched.',
      body: forgetInput,
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: ({ body: { sessions: refs }, setTarget }) => {
        setTarget(plural(refs.length, 'session'))
        return answer(refs)
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/past/sessions/:source/:id',
      scope: 'full',
      role: 'admin',
      summary:
        'Permanently remove one session and return how much was removed. The agent’s own files are not touched.',
      params: z.object({ source: z.string(), id: z.string() }),
      reply: { type: JSON_TYPE, schema: forgotReply },
      answer: ({ params }) => answer([params]),
    }),
  ]
}
