import { z } from 'zod'

const text = z.string()
const maybe = text.nullish().catch(undefined)

const backgroundTask = z.looseObject({ id: maybe, status: maybe })

/** What a hook of Claude Code sends. Only the session and the event's name are sure; a field of another shape counts as absent. */
export const hookPayload = z.looseObject({
  session_id: text.min(1),
  hook_event_name: text.min(1),
  transcript_path: maybe,
  cwd: maybe,
  agent_id: maybe,
  agent_type: maybe,
  tool_name: maybe,
  tool_use_id: maybe,
  tool_input: z.record(text, z.unknown()).nullish().catch(undefined),
  tool_response: z.unknown().optional(),
  duration_ms: z.number().nullish().catch(undefined),
  error: maybe,
  source: maybe,
  model: maybe,
  reason: maybe,
  prompt: maybe,
  message: maybe,
  notification_type: maybe,
  last_assistant_message: maybe,
  background_tasks: z.array(backgroundTask).nullish().catch(undefined),
})
export type HookPayload = z.infer<typeof hookPayload>
