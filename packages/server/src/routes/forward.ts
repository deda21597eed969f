import { forwardReply, forwardRequest } from '@panoptes/schema'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** A hub itself forwards nothing. */
export function forwardRoutes({ options: { forward } }: Kit): readonly Route[] {
  if (!forward) return []
  return [
    route({
      method: 'POST',
      path: '/api/forward',
      scope: 'full',
      role: 'admin',
      summary:
        'Reads the settings of `forward` in config.yaml again, and sends to the hub that they name; how that goes.',
      body: forwardRequest,
      reply: { type: JSON_TYPE, schema: forwardReply },
      answer: async ({ body }) => {
        const reloaded = await forward.reload(body.from_start)
        return reloaded.ok ? json({ forward: reloaded.value }) : refusalOf(reloaded)
      },
    }),
  ]
}
