import { z } from 'zod'
import {
  agentAccount,
  claim,
  claimCheck,
  costCell,
  evidence,
  evidenceTier,
  flag,
  quantity,
  skillUse,
} from './accounts.ts'
import { outcome, sourceName } from './event.ts'
import { timestamp, timestampQuery } from './time.ts'

/** The filters of every Ledger list. */
const filter = {
  since: timestampQuery.optional(),
  until: timestampQuery.optional(),
  source: z.string().optional(),
  project: z.string().optional(),
  session: z.string().optional(),
}

export const MOST_LEDGER_ROWS = 1_000
const page = {
  limit: z.coerce.number().int().min(1).max(MOST_LEDGER_ROWS).default(100),
  offset: z.coerce.number().int().min(0).default(0),
}

/** `none` finds agents that left no marker. */
export const outcomeOrNone = z.enum([...outcome.options, 'none'])
export type OutcomeOrNone = z.infer<typeof outcomeOrNone>

export const ledgerAgentsQuery = z.strictObject({
  ...filter,
  model: z.string().optional(),
  type: z.string().optional(),
  outcome: outcomeOrNone.optional(),
  flagged: z.stringbool().optional(),
  /** Includes agents that are still working. */
  all: z.stringbool().optional(),
  ...page,
})
export const ledgerAgentsReply = z.object({ total: z.int(), agents: z.array(agentAccount) })
export type LedgerAgentsReply = z.infer<typeof ledgerAgentsReply>

export const ledgerClaimsQuery = z.strictObject({
  ...filter,
  model: z.string().optional(),
  tier: evidenceTier.optional(),
  check: claimCheck.shape.verdict.optional(),
  ...page,
})
export const ledgerClaimsReply = z.object({ total: z.int(), claims: z.array(claim) })
export type LedgerClaimsReply = z.infer<typeof ledgerClaimsReply>

export const skillUsesQuery = z.strictObject({
  ...filter,
  skill: z.string().optional(),
  success: z.stringbool().optional(),
  ...page,
})
export const skillUsesReply = z.object({ total: z.int(), uses: z.array(skillUse) })
export type SkillUsesReply = z.infer<typeof skillUsesReply>

export const skillVerdict = z.enum(['validated', 're-extract', 'archive', 'watching'])
export type SkillVerdict = z.infer<typeof skillVerdict>

/**
 * A skill over the window, with the result of the rules. Shares are from 0 to 1, and null without
 * any use.
 */
export const ledgerSkill = z.object({
  skill: z.string(),
  uses: z.int(),
  /** Uses whose result is known. */
  judged: z.int(),
  successes: z.int(),
  rate: z.number().nullable(),
  /** Wilson's 95 % interval. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** At any time, not only in the window. */
  last_used: timestamp.nullable(),
  all_uses: z.int(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  verdict: skillVerdict,
  reason: z.string(),
  /** Its folders on this computer. */
  folders: z.array(z.string()),
})
export type LedgerSkill = z.infer<typeof ledgerSkill>
export const ledgerSkillsQuery = z.strictObject({ verdict: skillVerdict.optional() })
export const ledgerSkillsReply = z.object({
  window_days: z.number(),
  /** The rates that the rules require. */
  rules: z.object({ validated_over_rate: z.number(), re_extract_under_rate: z.number() }).optional(),
  skills: z.array(ledgerSkill),
})
export type LedgerSkillsReply = z.infer<typeof ledgerSkillsReply>

/** One change that a skill review would make or made. */
export const skillChange = z.object({
  skill: z.string(),
  verdict: skillVerdict,
  reason: z.string(),
  folder: z.string(),
  action: z.enum(['archive', 'mark', 'none']),
  /** What happens to it, in a sentence. */
  says: z.string(),
  done: z.boolean(),
  problem: z.string().nullable(),
})
export type SkillChange = z.infer<typeof skillChange>
export const skillReviewInput = z.strictObject({
  apply: z.boolean().default(false),
  /** Undoes what the last review did. */
  undo: z.boolean().default(false),
})
export const skillReviewReply = z.object({ applied: z.boolean(), changes: z.array(skillChange) })
export type SkillReviewReply = z.infer<typeof skillReviewReply>

export const recordSkillInput = z.strictObject({
  skill: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(512)
    .regex(/^\P{Cc}*$/u, 'contains invalid characters'),
  success: z.boolean(),
  agent_id: z.string().min(1).max(512).optional(),
  trajectory_id: z.string().min(1).max(512).optional(),
  duration_ms: z.int().min(0, 'must not be negative').optional(),
})
export type RecordSkillInput = z.infer<typeof recordSkillInput>
/** `ts` is in seconds, as in the first skill ledger. */
export const recordSkillReply = z.object({ ok: z.literal(true), skill: z.string(), ts: z.int() })
export type RecordSkillReply = z.infer<typeof recordSkillReply>

export const costGroup = z.enum(['day', 'source', 'project', 'model', 'agent', 'skill', 'session'])
export type CostGroup = z.infer<typeof costGroup>
export const costsQuery = z.strictObject({
  ...filter,
  model: z.string().optional(),
  by: costGroup.default('day'),
  /** Splits each row by model. */
  split: z.enum(['model']).optional(),
})
export const costRow = costCell.omit({ day: true, agent_id: true, skill: true, model: true }).extend({
  name: z.string(),
  /** Only if split by model. */
  model: z.string().nullable(),
  /** Only by session, whose name is this, a slash and its id. */
  source: sourceName.nullable(),
  sessions: z.int(),
  /**
   * What clients say they spent outside their transcripts. Absent by agent and by skill, because it
   * cannot be attributed to them.
   */
  outside_micro_usd: z.int().optional(),
  /** Number of sessions where that is unknown. */
  outside_unknown: z.int().optional(),
})
export type CostRow = z.infer<typeof costRow>
export const costsReply = z.array(costRow)

/** The outcomes of one kind of agent. */
export const outcomeRow = z.object({
  type: z.string(),
  agents: z.int(),
  functional: z.int(),
  partial: z.int(),
  scaffolding: z.int(),
  fail: z.int(),
  stopped: z.int(),
  lost: z.int(),
  none: z.int(),
  flagged: z.int(),
})
export type OutcomeRow = z.infer<typeof outcomeRow>
export const ledgerSpanQuery = z.strictObject(filter)
export const outcomesReply = z.array(outcomeRow)

/** Predictions compared with measurements, by model. */
export const calibrationRow = z.object({
  model: z.string(),
  quantity,
  claims: z.int(),
  /** The median of measured by predicted. */
  ratio: z.number(),
  says: z.string(),
})
export const calibrationPoint = z.object({
  model: z.string(),
  quantity,
  said: z.number(),
  took: z.number(),
  value: z.string(),
  evidence,
})
export const calibrationReply = z.object({
  rows: z.array(calibrationRow),
  /** The newest, at most a few hundred. */
  points: z.array(calibrationPoint),
  /** Estimates without a measurement so far. */
  open: z.int(),
})
export type CalibrationReply = z.infer<typeof calibrationReply>

export const followUp = z.object({
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  subagent_type: z.string().nullable(),
  project: z.string().nullable(),
  ts: timestamp,
  text: z.string(),
  evidence: evidence.nullable(),
})
export type FollowUp = z.infer<typeof followUp>
export const followUpsQuery = z.strictObject({ ...filter, ...page })
export const followUpsReply = z.object({ total: z.int(), followups: z.array(followUp) })
export type FollowUpsReply = z.infer<typeof followUpsReply>

export const flaggedAgent = agentAccount
  .pick({
    source: true,
    session_id: true,
    agent_id: true,
    subagent_type: true,
    description: true,
    project: true,
    outcome: true,
    stubs: true,
    last_at: true,
  })
  .extend({ flags: z.array(flag) })
export type FlaggedAgent = z.infer<typeof flaggedAgent>

/** A spending limit for a period, and its current state. */
export const budgetState = z.object({
  /** `Today`, `atlas-api, week`, `Any session`. */
  name: z.string(),
  per: z.enum(['day', 'week', 'month', 'session']),
  project: z.string().nullable(),
  source: z.string().nullable(),
  limit_micro_usd: z.int(),
  spent_micro_usd: z.int(),
  /** Number of unpriced replies in it. */
  cost_unknown: z.int(),
  /** For a session budget, the session that has used most of it. */
  evidence: evidence.nullable(),
  level: z.enum(['under', 'near', 'over']),
})
export type BudgetState = z.infer<typeof budgetState>
export const budgetsReply = z.array(budgetState)

/** The summary at the top of the Ledger page. */
export const ledgerOverview = z.object({
  cost_micro_usd: z.int(),
  /** Sessions with unpriced usage. */
  sessions_without_price: z.int(),
  sessions: z.int(),
  saved_micro_usd: z.int(),
  /**
   * What clients say they spent outside their transcripts, and the number of sessions where that is
   * unknown.
   */
  outside_micro_usd: z.int().optional(),
  outside_unknown: z.int().optional(),
  agents: z.int(),
  /** Agents that left a marker or failed, and how many of them report that everything works. */
  marked: z.int(),
  functional: z.int(),
  claims: z.int(),
  /** Checked claims without estimates, and how many of them do not hold. */
  claims_checked: z.int(),
  claims_failed: z.int(),
  followups: z.int(),
  /** Agents that claim to be done but are not, newest first; at most twenty. */
  flagged: z.array(flaggedAgent),
  /** How much of the history has been read. */
  reading: z.object({
    state: z.enum(['idle', 'running', 'failed']),
    done: z.int(),
    total: z.int(),
    problem: z.string().nullable(),
  }),
})
export type LedgerOverview = z.infer<typeof ledgerOverview>
