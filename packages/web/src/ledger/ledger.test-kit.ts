import type {
  AgentAccount,
  BudgetState,
  Claim,
  CostRow,
  Evidence,
  FollowUp,
  LedgerSkill,
  OutcomeRow,
  SkillUse,
} from '@panoptes/schema'

export const SESSION = '3f6c1f0e-2d2b-4f6e-9a51-0c6f5be0d222'
const NOW = 1_789_000_000_000

export const evidence = (n: number | null, quote: string | null = null): Evidence => ({
  source: 'claude-code',
  session_id: SESSION,
  agent_id: 'main',
  n,
  tool_use_id: null,
  quote,
})

/** A claim that was not checked yet. */
export const claim = (about: Partial<Claim> = {}): Claim => ({
  source: 'claude-code',
  session_id: 's1',
  agent_id: 'main',
  project: 'atlas',
  model: 'claude-opus-4-8',
  message_id: 'm1',
  n: 4,
  place: 0,
  ts: NOW,
  value: 'all 412 tests pass',
  evidence_tier: 'REAL',
  pointer: 'Bash',
  check: { verdict: 'open', says: '', evidence: null },
  estimate: null,
  ...about,
})

export const outcome = (about: Partial<OutcomeRow> = {}): OutcomeRow => ({
  ...{ type: 'port', agents: 1, functional: 0, partial: 0, scaffolding: 0, fail: 0, stopped: 0, lost: 0 },
  ...{ none: 0, flagged: 0 },
  ...about,
})

export const skill = (about: Partial<LedgerSkill> = {}): LedgerSkill => ({
  skill: 'write-migration',
  uses: 64,
  judged: 64,
  successes: 62,
  rate: 0.97,
  low: 0.89,
  high: 0.99,
  last_used: NOW,
  all_uses: 80,
  p50_ms: 1_400,
  p95_ms: 9_000,
  verdict: 'watching',
  reason: 'too few uses',
  folders: [],
  ...about,
})

/** A finished agent that reports success, which its transcript confirms. */
export const agent = (about: Partial<AgentAccount> = {}): AgentAccount => ({
  source: 'claude-code',
  session_id: SESSION,
  agent_id: 'a1',
  parent_id: 'main',
  subagent_type: 'port',
  description: 'Move the parser to the new reader',
  project: 'atlas',
  model: 'claude-sonnet-4-6',
  started_at: NOW,
  last_at: NOW + 192_000,
  finished: true,
  outcome: 'functional',
  stubs: 0,
  tool_use_count: 41,
  errors: 0,
  duration_ms: 192_000,
  tool_stats: { Read: 18, Edit: 12, Bash: 9, Grep: 2 },
  tokens_in: 41_200,
  tokens_out: 9_812,
  cache_read: 812_000,
  cache_write: 60_100,
  cost_micro_usd: 1_840_000,
  cost_unknown: 0,
  status: {
    shipped: 'functional',
    stubs: 0,
    checks: [{ name: 'npm test', result: 'PASS' }],
    behaviour_verified: 'ran it against the recorded files',
    follow_ups: ['take the old reader out'],
  },
  said_at: evidence(212),
  flags: [],
  ...about,
})

/** Costs in micro-dollars with matching tokens. */
export const costRow = (name: string, cost: number, about: Partial<CostRow> = {}): CostRow => ({
  name,
  model: null,
  source: null,
  sessions: 3,
  replies: 40,
  tokens_in: Math.round(cost / 12),
  tokens_out: Math.round(cost / 90),
  cache_read: Math.round(cost / 2),
  cache_write: Math.round(cost / 20),
  cost_micro_usd: Math.round(cost),
  usage_unknown: 0,
  cost_unknown: 0,
  saved_micro_usd: Math.round(cost * 1.3),
  ...about,
})

/** A partly used daily budget for everything. */
export const budget = (about: Partial<BudgetState> = {}): BudgetState => ({
  name: 'Today',
  per: 'day',
  project: null,
  source: null,
  limit_micro_usd: 25_000_000,
  spent_micro_usd: 14_820_000,
  cost_unknown: 0,
  evidence: null,
  level: 'under',
  ...about,
})

export const followUp = (about: Partial<FollowUp> = {}): FollowUp => ({
  source: 'claude-code',
  session_id: SESSION,
  agent_id: 'a1',
  subagent_type: 'port',
  project: 'atlas',
  ts: NOW,
  text: 'take the old reader out',
  evidence: evidence(200),
  ...about,
})

/** A successful use of a skill. */
export const skillUse = (about: Partial<SkillUse> = {}): SkillUse => ({
  source: 'claude-code',
  session_id: SESSION,
  agent_id: 'main',
  project: 'atlas',
  id: 'u1',
  skill: 'fix-flaky',
  ts: NOW,
  success: true,
  duration_ms: 21_000,
  how: 'call',
  trajectory_id: null,
  reason: null,
  n: 12,
  ...about,
})
