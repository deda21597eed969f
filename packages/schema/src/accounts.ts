import { z } from 'zod'
import { outcome, sourceName } from './event.ts'
import { timestamp } from './time.ts'

/** Where something can be looked up: a message of a session, or a call in it. Its place is unknown where only events tell of it. */
export const evidence = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  /** The message's place in its session, from 0 on. */
  n: z.int().nullable(),
  tool_use_id: z.string().nullable(),
  /** A few words of it. */
  quote: z.string().nullable(),
})
export type Evidence = z.infer<typeof evidence>

/** A STATUS-TRUTH marker, whole. */
export const statusMarker = z.object({
  shipped: outcome,
  stubs: z.int(),
  /** `cargo-check: PASS` and the like, in their order. */
  checks: z.array(z.object({ name: z.string(), result: z.string() })),
  behaviour_verified: z.string().nullable(),
  follow_ups: z.array(z.string()),
})
export type StatusMarker = z.infer<typeof statusMarker>

/** What an agent's words say and its transcript does not bear out. */
export const flag = z.object({
  kind: z.enum(['failing_check', 'failing_tests', 'stubs']),
  says: z.string(),
  evidence,
})
export type Flag = z.infer<typeof flag>

/** Null where nothing is known; sums say how many replies they lack. */
export const accountSpent = z.object({
  tokens_in: z.int().nullable(),
  tokens_out: z.int().nullable(),
  cache_read: z.int().nullable(),
  cache_write: z.int().nullable(),
  cost_micro_usd: z.int().nullable(),
  /** Replies whose price is not known. */
  cost_unknown: z.int(),
})
export type AccountSpent = z.infer<typeof accountSpent>

/** What one agent amounted to. */
export const agentAccount = accountSpent.extend({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  parent_id: z.string().nullable(),
  subagent_type: z.string().nullable(),
  description: z.string().nullable(),
  project: z.string().nullable(),
  /** The one that answered most. */
  model: z.string().nullable(),
  started_at: timestamp.nullable(),
  last_at: timestamp.nullable(),
  /** Whether it is through with its work, as far as can be told. */
  finished: z.boolean(),
  outcome: outcome.nullable(),
  /** Null where it left no marker. */
  stubs: z.int().nullable(),
  tool_use_count: z.int(),
  /** Calls only, by the name of the tool. */
  tool_stats: z.record(z.string(), z.int()),
  errors: z.int(),
  duration_ms: z.int().nullable(),
  status: statusMarker.nullable(),
  /** Where the marker stands. */
  said_at: evidence.nullable(),
  flags: z.array(flag),
})
export type AgentAccount = z.infer<typeof agentAccount>

export const evidenceTier = z.enum(['REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC'])
export type EvidenceTier = z.infer<typeof evidenceTier>

export const claimCheck = z.object({
  /** `open`: nothing was measured yet, or the pointer leads nowhere that can be looked up. */
  verdict: z.enum(['holds', 'fails', 'open']),
  says: z.string(),
  evidence: evidence.nullable(),
})
export type ClaimCheck = z.infer<typeof claimCheck>

export const quantity = z.enum(['duration', 'tokens', 'money', 'count'])
export type Quantity = z.infer<typeof quantity>

/** What was said beforehand of something that was measured later. Milliseconds, tokens, micro-dollars, or things. */
export const estimate = z.object({
  quantity,
  said: z.number(),
  took: z.number().nullable(),
  evidence: evidence.nullable(),
})
export type Estimate = z.infer<typeof estimate>

/** One number that somebody stated, with what it is said to stand on. */
export const claim = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  project: z.string().nullable(),
  model: z.string().nullable(),
  /** The message, its place in the session, and which claim of the message it is. */
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
  /** The call, or what stands for it. */
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

/** What replies of one agent took on one day with one model, in the scope of one skill. */
export const costCell = z.object({
  /** `2026-11-16`, by the clock of this computer. */
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
  /** What the cache spared, less what writing it cost more. */
  saved_micro_usd: z.int(),
})
export type CostCell = z.infer<typeof costCell>

/** All that is kept of what one session amounted to. It is replaced as a whole. */
export const account = z.object({
  source: sourceName,
  session_id: z.string(),
  /** Changes when it would come out otherwise. */
  fingerprint: z.string(),
  /** What it was made of: what the agent left behind, or the events of the log. */
  from: z.enum(['session', 'log']),
  title: z.string().nullable(),
  project: z.string().nullable(),
  last_at: timestamp.nullable(),
  agents: z.array(agentAccount),
  claims: z.array(claim),
  skills: z.array(skillUse),
  cells: z.array(costCell),
})
export type Account = z.infer<typeof account>
