import { isName } from '@panoptes/schema'
import { z } from 'zod'

const text = z.string()
const maybe = text.nullish().catch(undefined)
const name = text.refine(isName, 'is missing or cannot be a name')
const path = text.max(4_096).nullish().catch(undefined)
const maybeName = name.nullish().catch(undefined)

const backgroundTask = z.looseObject({ id: maybe, status: maybe })

/**
 * A hook payload of Claude Code. Only the session and the event name are guaranteed; a field of another shape
 * counts as absent. The agent id is the exception: work of an agent with an invalid id must not be assigned
 * to the session's own agent.
 */
export const hookPayload = z.looseObject({
  session_id: name,
  hook_event_name: name,
  transcript_path: path,
  agent_transcript_path: path,
  cwd: path,
  agent_id: name.nullish(),
  agent_type: text.max(512).nullish().catch(undefined),
  tool_name: maybeName,
  tool_use_id: maybeName,
  tool_input: z.record(text, z.unknown()).nullish().catch(undefined),
  tool_response: z.unknown().optional(),
  duration_ms: z.number().nullish().catch(undefined),
  error: maybe,
  is_interrupt: z.boolean().nullish().catch(undefined),
  source: maybeName,
  model: maybeName,
  reason: maybe,
  prompt: maybe,
  prompt_id: maybeName,
  message: maybe,
  notification_type: maybeName,
  last_assistant_message: maybe,
  background_tasks: z.array(backgroundTask).nullish().catch(undefined),
})
export type HookPayload = z.infer<typeof hookPayload>
