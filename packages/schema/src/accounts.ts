import { z } from 'zod'
import { outcome, shipped, sourceName } from './event.ts'
import { timestamp } from './time.ts'

/**
 * Where something can be looked up: a message of a session, or a call in it. The position is null
 * if only events mention it.
 */
export const evidence = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  /** The message's position in its session, from 0. */
  n: z.int().nullable(),
  tool_use_id: z.string().nullable(),
  /** A short quote of the message. */
  quote: z.string().nullable(),
})
export type Evidence = z.infer<typeof evidence>

/** A complete STATUS-TRUTH marker. */
export const statusMarker = z.object({
  shipped,
  /** Null if the marker has no such line. */
  stubs: z.int().nullable(),
  /** Lines such as `cargo-check: PASS`, in order. */
  checks: z.array(z.object({ name: z.string(), result: z.string() })),
  behaviour_verified: z.string().nullable(),
  follow_ups: z.array(z.string()),
})
export type StatusMarker = z.infer<typeof statusMarker>

/** A statement of an agent that its transcript does not support. */
export const flag = z.object({
  kind: z.enum(['failing_check', 'failing_tests', 'stubs']),
  says: z.string(),
  evidence,
})
export type Flag = z.infer<typeof flag>

/** Null if unknown; sums report how many replies they lack. */
export const accountSpent = z.object({
  tokens_in: z.int().nullable(),
  tokens_out: z.int().nullable(),
  cache_read: z.int().nullable(),
  cache_write: z.int().nullable(),
  cost_micro_usd: z.int().nullable(),
  /** Number of unpriced replies. */
  cost_unknown: z.int(),
})
export type AccountSpent = z.infer<typeof accountSpent>

/** The outcome and cost of one agent. */
export const agentAccount = accountSpent.extend({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  parent_id: z.string().nullable(),
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  project: z.string().nullable(),
  /** The model that answered most. */
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  /** Whether it has finished its work, as far as is known. */
  finished: z.boolean(),
  outcome: outcome.nullable(),
  /** Null if it left no marker. */
  stubs: z.int().nullable(),
  tool_use_count: z.int(),
  /** Number of calls, by tool. */
  tool_stats: z.record(z.string(), z.int()),
  errors: z.int(),
  duration_ms: z.int().nullable(),
  status: statusMarker.nullable(),
  /** Where the marker is. */
  said_at: evidence.nullable(),
  flags: z.array(flag),
})
export type AgentAccount = z.infer<typeof agentAccount>

export const evidenceTier = z.enum(['REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC'])
export type EvidenceTier = z.infer<typeof evidenceTier>

export const claimCheck = z.object({
  /** `open` if nothing was measured yet, or if the evidence cannot be looked up. */
  verdict: z.enum(['holds', 'fails', 'open']),
  says: z.string(),
  evidence: evidence.nullable(),
})
export type ClaimCheck = z.infer<typeof claimCheck>

export const quantity = z.enum(['duration', 'tokens', 'money', 'count'])
export type Quantity = z.infer<typeof quantity>

/**
 * A prediction about something that was measured later, in milliseconds, tokens, micro-dollars, or
 * a plain number.
 */
export const estimate = z.object({
  quantity,
  said: z.number(),
  took: z.number().nullable(),
  evidence: evidence.nullable(),
})
export type Estimate = z.infer<typeof estimate>

/** A number that an agent stated, with its evidence. */
export const claim = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  project: z.string().nullable(),
  model: z.string().nullable(),
  /** The message, its position in the session, and the index of the claim in the message. */
  message_id: z.string(),
  n: z.int().nullable(),
  place: z.int(),
  ts: timestamp,
  value: z.string(),
  evidence_tier: evidenceTier,
  pointer: z.string(),
  check: claimCheck,
  estimate: estimate.nullable(),
})
export type Claim = z.infer<typeof claim>

export const skillUse = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  project: z.string().nullable(),
  /** The call's id, or a substitute. */
  id: z.string(),
  skill: z.string(),
  ts: timestamp,
  /** Null while its scope is open. */
  success: z.boolean().nullable(),
  duration_ms: z.int().nullable(),
  how: z.enum(['call', 'command', 'recorded']),
  trajectory_id: z.string().nullable(),
  /** Why it did not succeed. */
  reason: z.string().nullable(),
  n: z.int().nullable(),
})
export type SkillUse = z.infer<typeof skillUse>

/** The usage of one agent's replies on one day with one model, within the scope of one skill. */
export const costCell = z.object({
  /** `2026-11-16`, in this computer's time zone. */
  day: z.string(),
  agent_id: z.string(),
  model: z.string().nullable(),
  skill: z.string().nullable(),
  replies: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cache_read: z.int(),
  cache_write: z.int(),
  cost_micro_usd: z.int(),
  usage_unknown: z.int(),
  cost_unknown: z.int(),
  /** What the cache saved, minus the extra cost of writing to it. */
  saved_micro_usd: z.int(),
})
export type CostCell = z.infer<typeof costCell>

/** What a client says it spent outside the transcript. */
export const outsideSpent = z.object({
  cost_micro_usd: z.int(),
  models: z.array(z.object({ model: z.string().nullable(), cost_micro_usd: z.int() })),
})
export type OutsideSpent = z.infer<typeof outsideSpent>

/** Everything stored about the outcome of one session. It is replaced as a whole. */
export const account = z.object({
  source: sourceName,
  session_id: z.string(),
  /** Changes when the account would be different. */
  fingerprint: z.string(),
  /** What it was derived from: the agent's own files or the events of the log. */
  from: z.enum(['session', 'log']),
  title: z.string().nullable(),
  project: z.string().nullable(),
  last_at: timestamp.nullable(),
  agents: z.array(agentAccount),
  claims: z.array(claim),
  skills: z.array(skillUse),
  cells: z.array(costCell),
  /** Absent or null if unknown. */
  outside: outsideSpent.nullable().optional(),
})
export type Account = z.infer<typeof account>
