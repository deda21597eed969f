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

/** One question of an agent to a person. Besides the options, any text is a valid answer. */
export const agentQuestion = z.object({
  question: z.string(),
  header: z.string().nullable(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multi_select: z.boolean(),
})
export type AgentQuestion = z.infer<typeof agentQuestion>

/**
 * What an agent waits for and what may be answered from the page until it expires: a permission or
 * questions.
 */
export const agentRequest = z.object({
  request_id: z.string(),
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  tool: z.string().nullable(),
  input_preview: z.string().nullable(),
  since: timestamp,
  expires_at: timestamp,
  choices: z.array(z.enum(['allow', 'deny'])),
  /**
   * Empty if the agent asks for a permission. Allowing a request with questions means answering
   * every one of them.
   */
  questions: z.array(agentQuestion),
})
export type AgentRequest = z.infer<typeof agentRequest>
export const requestsReply = z.array(agentRequest)
export const answerRequest = z.strictObject({
  request_id: z.string().min(1),
  choice: z.enum(['allow', 'deny']),
  /**
   * By the text of each question: the label of an option or free text; several if the question
   * allows it.
   */
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
})
export type AnswerRequest = z.infer<typeof answerRequest>
export const answerReply = z.object({ ok: z.boolean() })
