import { z } from 'zod'
import { outcome, sourceName } from './event.ts'
import { timestamp } from './time.ts'

export const agentState = z.enum(['working', 'waiting', 'stuck', 'done', 'failed'])
export type AgentState = z.infer<typeof agentState>

/**
 * One agent inside a session, as the events so far show it. An absent value is `null`, never zero.
 */
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
  /** Failed calls by tool; absent if only their sum is known. */
  tool_errors: z.record(z.string(), z.int()).optional(),
  started_at: timestamp,
  last_at: timestamp,
  /** For a lost agent, its last sign of life. */
  ended_at: timestamp.nullable(),
  prompt_preview: z.string().nullable(),
  wait_reason: z.string().nullable(),
  /**
   * Since when it has been waiting, even if it did something else in between. Absent in data of older
   * versions.
   */
  wait_since: timestamp.nullable().optional(),
  background: z.boolean(),
  /** The call that started it, if known. */
  tool_use_id: z.string().nullable(),
  doing: z.object({ tool: z.string(), preview: z.string().nullable(), since: timestamp }).nullable(),
  /** Null until a source reports tokens. */
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
  /** The skill it used last. Its success is null while it is in use, and if it is unknown. */
  skill: z.object({ name: z.string(), ts: timestamp, success: z.boolean().nullable() }).optional(),
  /** Numbers that it stated with evidence. */
  claims: z
    .object({ count: z.int(), last: z.object({ value: z.string(), tier: z.string(), ts: timestamp }) })
    .optional(),
  /** The follow-ups listed in its last marker. */
  follow_ups: z.int().optional(),
  /** When it was considered lost. */
  lost_at: timestamp.optional(),
})
export type Agent = z.infer<typeof agent>

/** Identifies one agent among all. */
export const agentIdentity = agent.pick({ source: true, session_id: true, id: true })
export type AgentIdentity = z.infer<typeof agentIdentity>

/**
 * Statistics of one tool of one source: calls, failures and duration. Durations are null until
 * there are samples.
 */
export const toolStats = z.object({
  source: sourceName,
  tool: z.string(),
  calls: z.int(),
  errors: z.int(),
  samples: z.int(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
})
export type ToolStats = z.infer<typeof toolStats>

/** What happened in one slice of a timeline. */
export const timelineSlice = z.object({
  ts: timestamp,
  events: z.int(),
  errors: z.int(),
  /** Number of agents alive at the end of the slice. */
  alive: z.int(),
})
export const timelineMark = z.object({
  seq: z.int(),
  ts: timestamp,
  kind: z.enum(['spawn', 'wait', 'stuck', 'failure', 'done']),
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
})
/** `marks` contains at most a few hundred; `marks_left_out` counts the rest. */
export const timeline = z.object({
  from: timestamp,
  to: timestamp,
  slices: z.array(timelineSlice),
  marks: z.array(timelineMark),
  marks_left_out: z.int(),
})
export type Timeline = z.infer<typeof timeline>
export type TimelineMark = z.infer<typeof timelineMark>
