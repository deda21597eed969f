import type {
  BudgetState,
  CalibrationReply,
  CostRow,
  FlaggedAgent,
  LedgerOverview,
  SkillVerdict,
} from '@panoptes/schema'
import {
  agent,
  budget,
  claim,
  costRow,
  evidence,
  followUp,
  outcome,
  SESSION,
  skill,
  skillUse,
} from './ledger.test-kit.ts'
import { dayName } from './plot/days.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MICRO = 1_000_000

/** Random numbers that are the same in every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

type ModelShare = readonly [model: string, share: number]

const MODELS: readonly ModelShare[] = [
  ['claude-opus-4-8', 8],
  ['claude-sonnet-4-6', 5],
  ['claude-haiku-4-5', 2],
  ['gpt-5.2', 1],
]
const MANY_MODELS: readonly ModelShare[] = [
  ...MODELS,
  ...Array.from({ length: 200 }, (_, n): ModelShare => [`vendor/model-${n}-preview`, 0.02]),
]
const TYPES = ['migration', 'port', 'explore', 'review', 'bench']

/** The cost of every model on every day. */
function dailyCosts(now: number, models: readonly ModelShare[], days: number): readonly CostRow[] {
  const random = seededRandom(11)
  return Array.from({ length: days }, (_, i) => now - (days - 1 - i) * DAY).flatMap((ts) => {
    const busy = [0, 6].includes(new Date(ts).getDay()) ? 0.3 : 1
    return models.map(([model, share]) =>
      costRow(dayName(ts), busy * share * (0.4 + random()) * MICRO, {
        model,
        cost_unknown: model.startsWith('gpt') && random() > 0.7 ? 4 : 0,
      }),
    )
  })
}

function usedSkill(name: string, uses: number, rate: number, verdict: SkillVerdict, now: number) {
  const half = 1 / Math.sqrt(uses + 4)
  return skill({
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
  })
}

function monthlySkills(now: number, crowded: boolean) {
  const random = seededRandom(5)
  return [
    usedSkill('write-migration', 64, 0.97, 'validated', now),
    usedSkill('review-diff', 118, 0.94, 'validated', now),
    usedSkill('release-notes', 22, 0.86, 'watching', now),
    usedSkill('profile-node', 17, 0.76, 'watching', now),
    usedSkill('fix-flaky', 13, 0.46, 're-extract', now),
    usedSkill('scrape-docs', 9, 0.89, 'archive', now),
    ...Array.from({ length: crowded ? 300 : 0 }, (_, n) =>
      usedSkill(`plugin:some-very-long-skill-name-${n}`, 1 + (n % 30), random(), 'watching', now),
    ),
  ]
}

function monthlyClaims(now: number, crowded: boolean) {
  const said = (n: number, about: Parameters<typeof claim>[0] = {}) =>
    claim({
      session_id: SESSION,
      message_id: `m${n}`,
      n,
      ts: now - n * HOUR,
      value: 'about 40 lines change',
      pointer: 'Bash, step 88',
      check: { verdict: 'open', says: 'nothing was measured yet', evidence: null },
      ...about,
    })
  return [
    said(88, {
      value: 'all 412 tests pass',
      check: { verdict: 'fails', says: '2 failed in that call', evidence: evidence(88) },
    }),
    said(19, {
      value: 'insert is 3.1× faster',
      evidence_tier: 'FROM-JOURNAL',
      pointer: 'bench row 19',
      check: { verdict: 'holds', says: 'row says 3.1', evidence: evidence(19) },
    }),
    said(31, {
      evidence_tier: 'ESTIMATE-HTC',
      pointer: 'step 31',
      check: { verdict: 'fails', says: 'measured 212', evidence: evidence(31) },
      estimate: { quantity: 'count', said: 40, took: 212, evidence: evidence(31) },
    }),
    said(140, {
      value: '37 tables move, 4 stay',
      pointer: 'Grep, step 140',
      check: { verdict: 'holds', says: '37 and 4 in that call', evidence: evidence(140) },
    }),
    ...Array.from({ length: crowded ? 400 : 20 }, (_, n) => said(200 + n)),
  ]
}

/** Agents of a month. The third has no known cost, and the transcript contradicts the second. */
const monthlyAgents = (now: number, crowded: boolean) =>
  Array.from({ length: crowded ? 1_000 : 48 }, (_, n) =>
    agent({
      agent_id: `a${n + 1}`,
      started_at: now - (n + 1) * HOUR,
      last_at: now - (n + 1) * HOUR + 192_000,
      errors: (n + 1) % 4,
      subagent_type: crowded ? `type-${n % 250}` : (TYPES[n % 5] ?? null),
      outcome: n % 7 === 3 ? null : n % 5 === 2 ? 'partial' : n % 11 === 4 ? 'fail' : 'functional',
      ...(n === 1 && {
        flags: [
          {
            kind: 'failing_tests',
            says: '“functional”, 2 tests fail at step 212',
            evidence: evidence(212, 'Tests: 2 failed, 410 passed'),
          },
        ],
      }),
      ...(n === 2 && {
        cost_micro_usd: null,
        tokens_in: null,
        tokens_out: null,
        cache_read: null,
        cache_write: null,
      }),
    }),
  )

const monthlyOutcomes = (crowded: boolean) =>
  (crowded ? Array.from({ length: 250 }, (_, n) => `type-${n}`) : TYPES).map((type, i) => {
    const [functional, partial, fail, none] = [14 + (i % 40), 1 + (i % 5), i % 3, 1 + (i % 2)]
    const scaffolding = i % 4 === 3 ? 1 : 0
    const agents = functional + partial + scaffolding + fail + none
    return outcome({ type, agents, functional, partial, scaffolding, fail, none })
  })

const flaggedAgents = (now: number): FlaggedAgent[] =>
  (
    [
      ['rate-table', '“functional”, 2 tests fail at step 212'],
      ['load-plan', '“0 stubs”, 1 stub at plan.ts:40'],
    ] as const
  ).map(([type, says]) => ({
    source: 'claude-code',
    session_id: SESSION,
    agent_id: `f-${type}`,
    subagent_type: type,
    description: null,
    project: 'ledger-bench',
    outcome: 'functional',
    stubs: 0,
    last_at: now - HOUR,
    flags: [{ kind: 'failing_tests', says, evidence: evidence(212) }],
  }))

const BUDGETS: readonly BudgetState[] = [
  budget(),
  budget({
    name: 'atlas-api, week',
    per: 'week',
    project: 'atlas-api',
    limit_micro_usd: 75 * MICRO,
    spent_micro_usd: 71.2 * MICRO,
    level: 'near',
  }),
  budget({
    name: 'Any session',
    per: 'session',
    limit_micro_usd: 10 * MICRO,
    spent_micro_usd: 6.42 * MICRO,
    evidence: evidence(3),
  }),
]

function monthlyCalibration(): CalibrationReply {
  const random = seededRandom(7)
  const off = [2.3, 1.3, 1]
  const row = (place: number, claims: number, says: string) => ({
    model: MODELS[place]?.[0] ?? '',
    quantity: 'duration' as const,
    claims,
    ratio: off[place] ?? 1,
    says,
  })
  return {
    rows: [
      row(0, 31, 'opus said 5 min, took 12: ×2.3 over 31 claims'),
      row(1, 12, 'sonnet said 5 min, took 6.5: ×1.3 over 12 claims'),
      row(2, 9, 'haiku said 5 min, took 5: ×1.0 over 9 claims'),
    ],
    points: Array.from({ length: 44 }, (_, n) => {
      const said = 60_000 * 10 ** (random() * 1.6)
      return {
        model: MODELS[n % 3]?.[0] ?? '',
        quantity: 'duration',
        said,
        took: said * (off[n % 3] ?? 1) * (0.7 + 0.6 * random()),
        value: 'takes about 5 min',
        evidence: evidence(40 + n),
      }
    }),
    open: 3,
  }
}

/** All replies for a busy month, or for a quarter with hundreds of everything. */
export function ledgerMonth(now: number, { crowded = false } = {}) {
  const models = crowded ? MANY_MODELS : MODELS
  const costs = dailyCosts(now, models, crowded ? 90 : 30)
  const agents = monthlyAgents(now, crowded)
  const claims = monthlyClaims(now, crowded)
  const followups = [
    'take the old reader out',
    'measure with a cold cache',
    'ask about the licence of the fixture',
  ].map((text, n) =>
    followUp({ agent_id: `a${n}`, ts: now - (n + 1) * HOUR, text, evidence: evidence(200 + n) }),
  )
  const sum = costs.reduce((all, row) => all + row.cost_micro_usd, 0)
  const overview: LedgerOverview = {
    cost_micro_usd: sum,
    sessions_without_price: 6,
    sessions: 412,
    saved_micro_usd: Math.round(sum * 1.3),
    agents: agents.length,
    marked: 100,
    functional: 87,
    claims: claims.length,
    claims_checked: 7,
    claims_failed: 2,
    followups: followups.length,
    flagged: flaggedAgents(now),
    reading: { state: 'idle', done: 412, total: 412, problem: null },
  }
  return {
    agents,
    budgets: BUDGETS,
    calibration: monthlyCalibration(),
    claims,
    costs,
    followups,
    models,
    outcomes: monthlyOutcomes(crowded),
    overview,
    skills: monthlySkills(now, crowded),
    uses: Array.from({ length: 9 }, (_, n) =>
      skillUse({
        id: `u${n}`,
        ts: now - (n + 1) * 5 * HOUR,
        success: n % 2 === 0,
        reason: n % 2 === 0 ? null : 'Bash failed: Exit code 1',
        n: 12 + n,
      }),
    ),
  }
}

export type LedgerMonth = ReturnType<typeof ledgerMonth>
