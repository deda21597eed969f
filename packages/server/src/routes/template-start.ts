import type { SessionStart, Templates } from '@panoptes/engine/templates'
import { check } from '@panoptes/schema'
import { z } from 'zod'
import { toRefusal } from '../problem.ts'
import { withBody } from '../request-body.ts'
import { JSON_TYPE, json, type Route } from '../route.ts'

/** The largest accepted body. Clients send less about the start of a session. */
const BODY_LIMIT = 65_536

const payload = z.looseObject({
  hook_event_name: z.literal('SessionStart'),
  session_id: z.string().min(1).max(256),
  source: z.string(),
  cwd: z.string().optional(),
})

const hookOutput = z.object({
  hookSpecificOutput: z.object({ hookEventName: z.string(), additionalContext: z.string() }),
})

/**
 * Returns what the hook of a starting session prints. It accepts the ingest token, whose holder thereby
 * learns the template of the next session and nothing about other sessions. A payload that cannot be read
 * gets an empty answer.
 */
export const templateStartRoute = (atStart: Templates['atStart']): Route => ({
  method: 'POST',
  path: '/api/templates/start',
  scope: 'ingest',
  summary:
    'Receives the payload of a Claude Code SessionStart hook. The response is the text that the hook prints: a matching template, or 204 if there is none.',
  body: { type: JSON_TYPE, schema: payload },
  reply: { type: JSON_TYPE, schema: hookOutput },
  answer: async ({ incoming }) => {
    const start = await withBody(incoming, BODY_LIMIT, startIn)
    if (start === undefined) return nothing()
    if ('status' in start) return start
    const result = await atStart(start)
    if (!result.ok) return toRefusal(result)
    const output = check(hookOutput, result.value.output)
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
