import { z } from 'zod'

const text = z.string()
const maybe = text.nullish().catch(undefined)
const name = text
  .min(1)
  .max(512)
  .refine((value) => !value.includes('\0'))
const path = text.max(4_096).nullish().catch(undefined)
const maybeName = name.nullish().catch(undefined)

const backgroundTask = z.looseObject({ id: maybe, status: maybe })

/** What a hook of Claude Code sends. Only the session and the event's name are sure; a field of another shape counts as absent. */
export const hookPayload = z.looseObject({
  session_id: name,
  hook_event_name: name,
  transcript_path: path,
  agent_transcript_path: path,
  cwd: path,
  agent_id: maybeName,
  agent_type: text.max(512).nullish().catch(undefined),
  tool_name: maybeName,
  tool_use_id: maybeName,
  tool_input: z.record(text, z.unknown()).nullish().catch(undefined),
  tool_response: z.unknown().optional(),
  duration_ms: z.number().nullish().catch(undefined),
  error: maybe,
  source: maybeName,
  model: maybeName,
  reason: maybe,
  prompt: maybe,
  message: maybe,
  notification_type: maybeName,
  last_assistant_message: maybe,
  background_tasks: z.array(backgroundTask).nullish().catch(undefined),
})
export type HookPayload = z.infer<typeof hookPayload>
