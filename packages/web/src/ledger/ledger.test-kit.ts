import type { Claim, LedgerSkill, OutcomeRow } from '@panoptes/schema'

/** A claim of which nothing was looked up yet, but for what is said of it. */
export const claim = (about: Partial<Claim> = {}): Claim => ({
  source: 'claude-code',
  session_id: 's1',
  agent_id: 'main',
  project: 'atlas',
  model: 'claude-opus-4-8',
  message_id: 'm1',
  n: 4,
  place: 0,
  ts: 1_789_000_000_000,
  value: 'all 412 tests pass',
  evidence_tier: 'REAL',
  pointer: 'Bash',
  check: { verdict: 'open', says: '', evidence: null },
  estimate: null,
  ...about,
})

export const outcome = (about: Partial<OutcomeRow> = {}): OutcomeRow => ({
  ...{ type: 'port', agents: 1, functional: 0, partial: 0, scaffolding: 0, fail: 0, none: 0, flagged: 0 },
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
  last_used: 1_789_000_000_000,
  all_uses: 80,
  p50_ms: 1_400,
  p95_ms: 9_000,
  verdict: 'watching',
  reason: 'too few uses',
  folders: [],
  ...about,
})
