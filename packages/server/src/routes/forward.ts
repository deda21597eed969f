import { forwardReply, forwardRequest } from '@panoptes/schema'
import type { AppContext } from '../app-context.ts'
import { toRefusal } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** Forwarding to a hub. A hub itself has no forwarding. */
export function forwardRoutes({ options: { forward } }: AppContext): readonly Route[] {
  if (!forward) return []
  return [
    route({
      method: 'POST',
      path: '/api/forward',
      scope: 'full',
      role: 'admin',
      summary: 'Reload the `forward` settings from config.yaml, send to that hub, and return the status.',
      body: forwardRequest,
      reply: { type: JSON_TYPE, schema: forwardReply },
      answer: async ({ body }) => {
        const reloaded = await forward.reload(body.from_start)
        return reloaded.ok ? json({ forward: reloaded.value }) : toRefusal(reloaded)
      },
    }),
  ]
}
