import type { Account, AgentAccount, Claim, CostCell, SkillUse } from '@panoptes/schema'

/** Roughly the number of events that a session with one and a half agents leaves in the log. */
const EVENTS_A_SESSION = 30
const SESSIONS_A_DAY = 90
const DAY_MS = 86_400_000
const BEGAN = Date.UTC(2022, 0, 3)

const SOURCES = ['claude-code', 'claude-code', 'claude-code', 'hermes', 'hermes', 'codex', 'opencode']
const TYPES = ['builder', 'reviewer', 'tester', 'explorer', 'writer', 'planner', 'general-purpose']
const OUTCOMES = [
  'functional',
  'functional',
  'functional',
  'partial',
  'scaffolding',
  'fail',
  null,
  null,
] as const
const TIERS = ['REAL', 'REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC', 'ESTIMATE-HTC'] as const
const VERDICTS = ['holds', 'holds', 'holds', 'fails', 'open'] as const

export const sessionsFor = (events: number): number => Math.ceil(events / EVENTS_A_SESSION)
const daysFor = (events: number): number => Math.ceil(sessionsFor(events) / SESSIONS_A_DAY)
/** Returns the end time of a history with this many events. */
export const endOf = (events: number): number => BEGAN + daysFor(events) * DAY_MS

type Chance = (most: number) => number

/** Creates a generator of pseudo-random numbers that are the same on every run. */
function chanceFrom(seed: number): Chance {
  let state = (seed * 2_654_435_761) >>> 0
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

const pick = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)] as T
const dayOf = (ts: number): string => {
  const date = new Date(ts)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/**
 * About a dozen projects are active at a time, and every few weeks one replaces another. Models change more
 * slowly.
 */
const projectAt = (day: number, chance: Chance) =>
  `atlas-${Math.floor(day / 20) + Math.min(chance(12), chance(12))}`
const modelAt = (day: number, chance: Chance) => `model-${Math.floor(day / 90) + chance(4)}`
const skillAt = (chance: Chance) => `skill-${Math.min(chance(40), chance(40))}`

export const latestProject = (events: number): string => `atlas-${Math.floor((daysFor(events) - 1) / 20)}`

/** Returns the account of session number n in a history that continues at the same pace. */
export function accountAt(n: number): Account {
  const chance = chanceFrom(n + 1)
  const day = Math.floor(n / SESSIONS_A_DAY)
  const at = BEGAN + day * DAY_MS + chance(DAY_MS)
  const of = { source: pick(chance, SOURCES), session_id: `session-${n}`, project: projectAt(day, chance) }
  const models = [modelAt(day, chance), modelAt(day, chance)]
  const agents = Array.from({ length: 1 + Math.min(chance(4), chance(4)) }, (_, place) =>
    agentAt(of, place, pick(chance, models), at + chance(3_600_000), chance),
  )
  const skills = Array.from({ length: Math.min(chance(3), chance(3)) }, (_, place) =>
    useAt(of, place, at + place, chance),
  )
  const claims = Array.from({ length: chance(4) }, (_, place) =>
    claimAt(of, place, pick(chance, models), at + place, chance),
  )
  const days = chance(7) === 0 ? [dayOf(at), dayOf(at + DAY_MS)] : [dayOf(at)]
  const cells = days.flatMap((each) =>
    agents.flatMap(({ agent_id, model }) =>
      [null, ...skills.map(({ skill }) => skill).slice(0, 1)].map((skill) =>
        cellAt(each, agent_id, model, skill, chance),
      ),
    ),
  )
  const about = { fingerprint: `${n}`, from: 'session', title: `Session ${n}`, last_at: at } as const
  return { ...of, ...about, agents, claims, skills, cells }
}

type Of = Pick<Account, 'source' | 'session_id' | 'project'>

function agentAt(of: Of, place: number, model: string, at: number, chance: Chance): AgentAccount {
  const outcome = pick(chance, OUTCOMES)
  const agent_id = place === 0 ? 'main' : `agent-${place}`
  const evidence = {
    source: of.source,
    session_id: of.session_id,
    agent_id,
    n: 12,
    tool_use_id: null,
    quote: 'done',
  }
  const follow_ups = chance(5) === 0 ? ['Try it with an empty folder', 'Write down how it is started'] : []
  const isFlagged = outcome === 'functional' && chance(20) === 0
  return {
    ...of,
    agent_id,
    parent_id: place === 0 ? null : 'main',
    subagent_type: place === 0 ? null : pick(chance, TYPES),
    description: 'Makes the list of files faster without changing what it says',
    model,
    started_at: at - 600_000,
    last_at: at,
    finished: true,
    outcome,
    stubs: outcome === null ? null : chance(3),
    tool_use_count: 14,
    tool_stats: { Bash: 6, Edit: 5, Read: 3 },
    errors: chance(3),
    duration_ms: 600_000,
    status: outcome && {
      shipped: outcome,
      stubs: 0,
      checks: [{ name: 'tests', result: 'PASS' }],
      behaviour_verified: null,
      follow_ups,
    },
    said_at: outcome && evidence,
    flags: isFlagged ? [{ kind: 'failing_tests', says: 'A test failed after it.', evidence }] : [],
    tokens_in: 10_000 + chance(90_000),
    tokens_out: chance(9_000),
    cache_read: chance(900_000),
    cache_write: chance(90_000),
    cost_micro_usd: chance(3_000_000),
    cost_unknown: 0,
  }
}

function claimAt(of: Of, place: number, model: string, ts: number, chance: Chance): Claim {
  const evidence_tier = pick(chance, TIERS)
  const estimate = {
    quantity: 'duration',
    said: 300_000,
    took: chance(2) === 0 ? 720_000 : null,
    evidence: null,
  } as const
  return {
    ...of,
    agent_id: 'main',
    model,
    message_id: `message-${place}`,
    n: 9,
    place,
    ts,
    value: 'the list of ten thousand files takes 12 ms',
    evidence_tier,
    pointer: 'npm run bench, the second table',
    check: {
      verdict: pick(chance, VERDICTS),
      says: 'The call that is pointed to says the same.',
      evidence: null,
    },
    estimate: evidence_tier === 'ESTIMATE-HTC' ? estimate : null,
  }
}

const useAt = (of: Of, place: number, ts: number, chance: Chance): SkillUse => ({
  ...of,
  agent_id: 'main',
  id: `call-${place}`,
  skill: skillAt(chance),
  ts,
  success: chance(10) > 0,
  duration_ms: 100 + chance(60_000),
  how: 'call',
  trajectory_id: null,
  reason: null,
  n: 5,
})

const cellAt = (
  day: string,
  agent_id: string,
  model: string | null,
  skill: string | null,
  chance: Chance,
): CostCell => ({
  day,
  agent_id,
  model,
  skill,
  replies: 8,
  tokens_in: chance(50_000),
  tokens_out: chance(5_000),
  cache_read: chance(500_000),
  cache_write: chance(50_000),
  cost_micro_usd: chance(2_000_000),
  usage_unknown: 0,
  cost_unknown: chance(50) === 0 ? 1 : 0,
  saved_micro_usd: chance(900_000),
})
