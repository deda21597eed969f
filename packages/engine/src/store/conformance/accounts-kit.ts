import type { Account, AgentAccount, Claim, CostCell, SkillUse } from '@panoptes/schema'

export const NOON = new Date(2026, 8, 15, 12).getTime()
export const HOUR = 3_600_000

/** Creates an account with one agent and no activity, changed by `more`. */
export const account = (id: string, more: Partial<Account> = {}): Account => ({
  source: 'codex',
  session_id: id,
  fingerprint: '1',
  from: 'session',
  title: `About ${id}`,
  project: 'notes',
  last_at: NOON,
  agents: [],
  claims: [],
  skills: [],
  cells: [],
  ...more,
})

type Of = Pick<Account, 'source' | 'session_id' | 'project'>
const whose = ({ source, session_id, project }: Of) => ({ source, session_id, project })

export const createAgentAccount = (of: Of, more: Partial<AgentAccount> = {}): AgentAccount => ({
  ...whose(of),
  agent_id: 'main',
  parent_id: null,
  subagent_type: null,
  description: null,
  model: 'opus',
  started_at: NOON - HOUR,
  last_at: NOON,
  finished: true,
  outcome: null,
  stubs: null,
  tool_use_count: 0,
  tool_stats: {},
  errors: 0,
  duration_ms: HOUR,
  status: null,
  said_at: null,
  flags: [],
  tokens_in: 1,
  tokens_out: 2,
  cache_read: null,
  cache_write: null,
  cost_micro_usd: null,
  cost_unknown: 1,
  ...more,
})

export const createClaim = (of: Of, place: number, more: Partial<Claim> = {}): Claim => ({
  ...whose(of),
  agent_id: 'main',
  model: 'opus',
  message_id: 'm1',
  n: 3,
  place,
  ts: NOON,
  value: '12 files',
  evidence_tier: 'REAL',
  pointer: 'wc -l',
  check: { verdict: 'open', says: 'There is no measurement yet.', evidence: null },
  estimate: null,
  ...more,
})

export const createSkillUse = (of: Of, id: string, more: Partial<SkillUse> = {}): SkillUse => ({
  ...whose(of),
  agent_id: 'main',
  id,
  skill: 'tidy',
  ts: NOON,
  success: true,
  duration_ms: 1_000,
  how: 'call',
  trajectory_id: null,
  reason: null,
  n: 4,
  ...more,
})

export const cell = (day: string, more: Partial<CostCell> = {}): CostCell => ({
  day,
  agent_id: 'main',
  model: 'opus',
  skill: null,
  replies: 1,
  tokens_in: 10,
  tokens_out: 5,
  cache_read: 3,
  cache_write: 2,
  cost_micro_usd: 100,
  usage_unknown: 0,
  cost_unknown: 0,
  saved_micro_usd: 7,
  ...more,
})
