import type { SessionStart, Templates } from '@panoptes/engine/templates'
import { check } from '@panoptes/schema'
import { z } from 'zod'
import { withBody } from '../body.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route } from '../route.ts'

/** More than a client ever says of a session that begins. */
const BODY_LIMIT = 65_536

const payload = z.looseObject({
  hook_event_name: z.literal('SessionStart'),
  session_id: z.string().min(1).max(256),
  source: z.string(),
  cwd: z.string().optional(),
})

const toldToClient = z.object({
  hookSpecificOutput: z.object({ hookEventName: z.string(), additionalContext: z.string() }),
})

/**
 * What the hook of a client that begins a session is to print. It takes the token of hooks: whoever has that is told
 * what the next session is told, and nothing of others. An odd payload is answered with nothing.
 */
export const templateStartRoute = (atStart: Templates['atStart']): Route => ({
  method: 'POST',
  path: '/api/templates/start',
  scope: 'ingest',
  summary:
    'The payload of a SessionStart hook of Claude Code. The answer is what the hook prints: the template that fits; 204 where there is none.',
  body: { type: JSON_TYPE, schema: payload },
  reply: { type: JSON_TYPE, schema: toldToClient },
  answer: async ({ incoming }) => {
    const start = await withBody(incoming, BODY_LIMIT, startIn)
    if (start === undefined) return nothing()
    if ('status' in start) return start
    const told = await atStart(start)
    if (!told.ok) return refusalOf(told)
    const output = check(toldToClient, told.value.output)
    return output.ok ? json(output.value) : nothing()
  },
})

function startIn(text: string): SessionStart | undefined {
  try {
    const read = check(payload, JSON.parse(text))
    if (!read.ok) return undefined
    const { session_id, source, cwd = null } = read.value
    return { source: 'claude-code', session_id, began: source, cwd }
  } catch {
    return undefined
  }
}

const nothing = (): Response => new Response(null, { status: 204 })
