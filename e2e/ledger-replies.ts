import type {
  AgentAccount,
  BudgetState,
  CalibrationReply,
  Claim,
  CostRow,
  Evidence,
  FlaggedAgent,
  FollowUp,
  LedgerOverview,
  LedgerSkill,
  OutcomeRow,
  SkillChange,
  SkillUse,
} from '@panoptes/schema'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SESSION = '3f6c1f0e-2d2b-4f6e-9a51-0c6f5be0d222'

/** Chance that is the same every time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const evidence = (n: number | null, quote: string | null = null): Evidence => ({
  ...{ source: 'claude-code', session_id: SESSION, agent_id: 'main', n, tool_use_id: null, quote },
})

const dayName = (ts: number): string => {
  const date = new Date(ts)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const spent = (
  name: string,
  model: string | null,
  cost: number,
  about: Partial<CostRow> = {},
): CostRow => ({
  name,
  model,
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

const SHARES: readonly (readonly [model: string, share: number])[] = [
  ['claude-opus-4-8', 8],
  ['claude-sonnet-4-6', 5],
  ['claude-haiku-4-5', 2],
  ['gpt-5.2', 1],
]

function costDays(now: number, models: typeof SHARES, days = 30): readonly CostRow[] {
  const chance = seeded(11)
  return Array.from({ length: days }, (_, i) => now - (days - 1 - i) * DAY).flatMap((ts) => {
    const busy = [0, 6].includes(new Date(ts).getDay()) ? 0.3 : 1
    return models.map(([model, share]) =>
      spent(dayName(ts), model, busy * share * (0.4 + chance()) * 1_000_000, {
        cost_unknown: model.startsWith('gpt') && chance() > 0.7 ? 4 : 0,
      }),
    )
  })
}

const skill = (
  name: string,
  uses: number,
  rate: number,
  verdict: LedgerSkill['verdict'],
  now: number,
): LedgerSkill => {
  const half = 1 / Math.sqrt(uses + 4)
  return {
    skill: name,
    uses,
    judged: uses,
    successes: Math.round(uses * rate),
    rate,
    low: Math.max(0, rate - half),
    high: Math.min(1, rate + half / 2),
    last_used: now - uses * HOUR,
    all_uses: uses * 3,
    p50_ms: 1_400 + 200 * uses,
    p95_ms: 9_000 + 900 * uses,
    verdict,
    reason: `${uses} uses in 30 days, ${Math.round(rate * 100)} % of them worked.`,
    folders: [`/home/dev/.claude/skills/${name}`],
  }
}

const claim = (at: number, about: Partial<Claim>): Claim => ({
  ...{
    source: 'claude-code',
    session_id: SESSION,
    agent_id: 'main',
    project: 'atlas',
    model: 'claude-opus-4-8',
  },
  ...{ message_id: `m${at}`, n: at, place: 0, ts: Date.now() - at * HOUR, value: 'about 40 lines change' },
  ...{ evidence_tier: 'REAL', pointer: 'Bash, step 88', estimate: null },
  check: { verdict: 'open', says: 'nothing was measured yet', evidence: null },
  ...about,
})

const agent = (at: number, about: Partial<AgentAccount> = {}): AgentAccount => ({
  ...{
    source: 'claude-code',
    session_id: SESSION,
    agent_id: `a${at}`,
    parent_id: 'main',
    subagent_type: 'port',
  },
  ...{ description: 'Move the parser to the new reader', project: 'atlas', model: 'claude-sonnet-4-6' },
  ...{ started_at: Date.now() - at * HOUR, last_at: Date.now() - at * HOUR + 192_000, finished: true },
  ...{ outcome: 'functional', stubs: 0, tool_use_count: 41, errors: at % 4, duration_ms: 192_000 },
  tool_stats: { Read: 18, Edit: 12, Bash: 9, Grep: 2 },
  ...{ tokens_in: 41_200, tokens_out: 9_812, cache_read: 812_000, cache_write: 60_100 },
  ...{ cost_micro_usd: 1_840_000, cost_unknown: 0 },
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

const TYPES = ['migration', 'port', 'explore', 'review', 'bench']

/** What the server would say of a busy month, or of one with hundreds of everything. */
export function ledgerReplies(now: number, crowded = false) {
  const chance = seeded(5)
  const models = crowded
    ? [...SHARES, ...Array.from({ length: 200 }, (_, n) => [`vendor/model-${n}-preview`, 0.02] as const)]
    : SHARES
  const costs = costDays(now, models, crowded ? 90 : 30)
  const skills = [
    skill('write-migration', 64, 0.97, 'validated', now),
    skill('review-diff', 118, 0.94, 'validated', now),
    skill('release-notes', 22, 0.86, 'watching', now),
    skill('profile-node', 17, 0.76, 'watching', now),
    skill('fix-flaky', 13, 0.46, 're-extract', now),
    skill('scrape-docs', 9, 0.89, 'archive', now),
    ...(crowded
      ? Array.from({ length: 300 }, (_, n) =>
          skill(`plugin:some-very-long-skill-name-${n}`, 1 + (n % 30), chance(), 'watching', now),
        )
      : []),
  ]
  const claims = [
    claim(88, {
      value: 'all 412 tests pass',
      check: { verdict: 'fails', says: '2 failed in that call', evidence: evidence(88) },
    }),
    claim(19, {
      value: 'insert is 3.1× faster',
      evidence_tier: 'FROM-JOURNAL',
      pointer: 'bench row 19',
      check: { verdict: 'holds', says: 'row says 3.1', evidence: evidence(19) },
    }),
    claim(31, {
      evidence_tier: 'ESTIMATE-HTC',
      pointer: 'step 31',
      check: { verdict: 'fails', says: 'measured 212', evidence: evidence(31) },
      estimate: { quantity: 'count', said: 40, took: 212, evidence: evidence(31) },
    }),
    claim(140, {
      value: '37 tables move, 4 stay',
      pointer: 'Grep, step 140',
      check: { verdict: 'holds', says: '37 and 4 in that call', evidence: evidence(140) },
    }),
    ...Array.from({ length: crowded ? 400 : 20 }, (_, n) => claim(200 + n, {})),
  ]
  const agents = Array.from({ length: crowded ? 1_000 : 48 }, (_, n) =>
    agent(n + 1, {
      subagent_type: crowded ? `type-${n % 250}` : (TYPES[n % 5] ?? null),
      outcome: n % 7 === 3 ? null : n % 5 === 2 ? 'partial' : n % 11 === 4 ? 'fail' : 'functional',
      ...(n === 2
        ? { cost_micro_usd: null, tokens_in: null, tokens_out: null, cache_read: null, cache_write: null }
        : {}),
      ...(n === 1
        ? {
            flags: [
              {
                kind: 'failing_tests' as const,
                says: '“functional”, 2 tests fail at step 212',
                evidence: evidence(212, 'Tests: 2 failed, 410 passed'),
              },
            ],
          }
        : {}),
    }),
  )
  const outcomes: readonly OutcomeRow[] = (
    crowded ? Array.from({ length: 250 }, (_, n) => `type-${n}`) : TYPES
  ).map((type, i) => {
    const [functional, partial, fail, none] = [14 + (i % 40), 1 + (i % 5), i % 3, 1 + (i % 2)]
    const scaffolding = i % 4 === 3 ? 1 : 0
    const agents = functional + partial + scaffolding + fail + none
    return { type, agents, functional, partial, scaffolding, fail, none, flagged: 0 }
  })
  const flagged: readonly FlaggedAgent[] = [
    ['rate-table', '“functional”, 2 tests fail at step 212'],
    ['load-plan', '“0 stubs”, 1 stub at plan.ts:40'],
  ].map(([type, says]) => ({
    ...{ source: 'claude-code', session_id: SESSION, agent_id: `f-${type}`, subagent_type: type ?? null },
    ...{ description: null, project: 'ledger-bench', outcome: 'functional', stubs: 0, last_at: now - HOUR },
    flags: [{ kind: 'failing_tests', says: says ?? '', evidence: evidence(212) }],
  }))
  const budgets: readonly BudgetState[] = [
    ['Today', 'day', null, 25, 14.82, 'under'],
    ['atlas-api, week', 'week', 'atlas-api', 75, 71.2, 'near'],
    ['Any session', 'session', null, 10, 6.42, 'under'],
  ].map(
    ([name, per, project, limit, used, level]) =>
      ({
        ...{ name, per, project, source: null, cost_unknown: 0, level },
        ...{
          limit_micro_usd: Number(limit) * 1_000_000,
          spent_micro_usd: Math.round(Number(used) * 1_000_000),
        },
        evidence: per === 'session' ? evidence(3) : null,
      }) as BudgetState,
  )
  const points = Array.from({ length: 44 }, (_, n) => {
    const model = SHARES[n % 3]?.[0] ?? ''
    const said = 60_000 * 10 ** (chance() * 1.6)
    const took = said * ([2.3, 1.3, 1][n % 3] ?? 1) * (0.7 + 0.6 * chance())
    return {
      model,
      quantity: 'duration' as const,
      said,
      took,
      value: 'takes about 5 min',
      evidence: evidence(40 + n),
    }
  })
  const calibration: CalibrationReply = {
    rows: [
      {
        model: 'claude-opus-4-8',
        quantity: 'duration',
        claims: 31,
        ratio: 2.3,
        says: 'opus said 5 min, took 12: ×2.3 over 31 claims',
      },
      {
        model: 'claude-sonnet-4-6',
        quantity: 'duration',
        claims: 12,
        ratio: 1.3,
        says: 'sonnet said 5 min, took 6.5: ×1.3 over 12 claims',
      },
      {
        model: 'claude-haiku-4-5',
        quantity: 'duration',
        claims: 9,
        ratio: 1,
        says: 'haiku said 5 min, took 5: ×1.0 over 9 claims',
      },
    ],
    points,
    open: 3,
  }
  const followups: readonly FollowUp[] = [
    'take the old reader out',
    'measure with a cold cache',
    'ask about the licence of the fixture',
  ].map((text, n) => ({
    ...{
      source: 'claude-code',
      session_id: SESSION,
      agent_id: `a${n}`,
      subagent_type: 'port',
      project: 'atlas',
    },
    ...{ ts: now - (n + 1) * HOUR, text, evidence: evidence(200 + n) },
  }))
  const sum = costs.reduce((all, row) => all + row.cost_micro_usd, 0)
  const overview: LedgerOverview = {
    ...{
      cost_micro_usd: sum,
      sessions_without_price: 6,
      sessions: 412,
      saved_micro_usd: Math.round(sum * 1.3),
    },
    ...{ agents: agents.length, marked: 100, functional: 87 },
    ...{ claims: claims.length, claims_checked: 7, claims_failed: 2 },
    ...{ followups: followups.length, flagged: [...flagged] },
    reading: { state: 'idle', done: 412, total: 412, problem: null },
  }
  const uses: readonly SkillUse[] = Array.from({ length: 9 }, (_, n) => ({
    ...{
      source: 'claude-code',
      session_id: SESSION,
      agent_id: 'main',
      project: 'atlas',
      id: `u${n}`,
      skill: 'fix-flaky',
    },
    ...{
      ts: now - (n + 1) * 5 * HOUR,
      success: n % 2 === 0,
      duration_ms: 21_000,
      how: 'call',
      trajectory_id: null,
    },
    ...{ reason: n % 2 === 0 ? null : 'Bash failed: Exit code 1', n: 12 + n },
  }))
  const changes: readonly SkillChange[] = [
    {
      ...{ skill: 'write-migration', verdict: 'validated', action: 'mark', done: false, problem: null },
      ...{
        reason: 'Used 64 times in 30 days, 97 % worked.',
        folder: '/home/dev/.claude/skills/write-migration',
      },
      says: 'Gets “stability: validated” in its front matter.',
    },
    {
      ...{ skill: 'scrape-docs', verdict: 'archive', action: 'archive', done: false, problem: null },
      ...{ reason: 'Not used for 42 days.', folder: '/home/dev/.claude/skills/scrape-docs' },
      says: 'Moves to /home/dev/.claude/skills/_archive/scrape-docs.',
    },
    {
      ...{ skill: 'fix-flaky', verdict: 're-extract', action: 'none', done: false },
      ...{ reason: 'Half of its uses did not work.', folder: '/home/dev/.claude/skills/fix-flaky' },
      ...{ says: 'Stays as it is.', problem: 'it is closed for writing' },
    },
  ]
  return {
    agents,
    budgets,
    calibration,
    changes,
    claims,
    costs,
    followups,
    models,
    outcomes,
    overview,
    skills,
    uses,
  }
}

export type LedgerReplies = ReturnType<typeof ledgerReplies>
