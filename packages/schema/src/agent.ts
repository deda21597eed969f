import { z } from 'zod'
import { outcome, sourceName } from './event.ts'
import { timestamp } from './time.ts'

export const agentState = z.enum(['working', 'waiting', 'stuck', 'done', 'failed'])
export type AgentState = z.infer<typeof agentState>

/** One worker inside a session, as the events so far show it. Absent is `null`, never zero. */
export const agent = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  session_id: z.string(),
  source: sourceName,
  subagent_type: z.string().nullable(),
  model: z.string().nullable(),
  state: agentState,
  outcome: outcome.nullable(),
  tool_counts: z.record(z.string(), z.int()),
  errors: z.int(),
  started_at: timestamp,
  last_at: timestamp,
  ended_at: timestamp.nullable(),
  prompt_preview: z.string().nullable(),
  wait_reason: z.string().nullable(),
  background: z.boolean(),
  /** The call that made it, where it is known. */
  tool_use_id: z.string().nullable(),
  doing: z.object({ tool: z.string(), preview: z.string().nullable(), since: timestamp }).nullable(),
  /** null until a source tells tokens. */
  usage: z
    .object({
      input: z.int(),
      output: z.int(),
      cache_read: z.int(),
      cache_write: z.int(),
      cost_micro_usd: z.int(),
      cost_unknown: z.int(),
    })
    .nullable(),
})
export type Agent = z.infer<typeof agent>
