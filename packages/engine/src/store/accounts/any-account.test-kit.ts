import type { Account } from '@panoptes/schema'
import fc from 'fast-check'
import {
  account,
  cell,
  createAgentAccount,
  createClaim,
  createSkillUse,
} from '../conformance/accounts-kit.ts'

const FIRST = new Date(2026, 8, 13, 22).getTime()
const HOUR = 3_600_000

/**
 * Generates times on a few days, at hours when a day ends in some time zone, or times spread over some
 * months.
 */
export const anyMoment = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map((hours) => FIRST + hours * HOUR),
  fc.integer({ min: 0, max: 200 }).map((days) => FIRST + days * 24 * HOUR),
)
const aDay = fc.constantFrom('2026-09-13', '2026-09-14', '2026-09-15', '2026-09-16', '2026-09-18')
export const aModel = fc.constantFrom(null, 'opus', 'sonnet')
export const aProject = fc.constantFrom(null, 'notes', 'shop')
export const aSource = fc.constantFrom('codex', 'hermes')
const anAgent = fc.constantFrom('main', 'a', 'b')
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 4 })
const outcome = fc.constantFrom(null, 'functional', 'partial', 'scaffolding', 'fail')

const anyCell = fc.record({
  day: aDay,
  agent_id: anAgent,
  model: aModel,
  skill: fc.constantFrom(null, 'tidy', 'plan'),
  cost_micro_usd: fc.nat(1_000),
  cost_unknown: fc.constantFrom(0, 0, 2),
  tokens_in: fc.nat(50),
})

const anyAgent = fc.record({
  agent_id: anAgent,
  subagent_type: fc.constantFrom(null, 'builder', 'main'),
  project: aProject,
  model: aModel,
  last_at: fc.option(anyMoment),
  finished: fc.boolean(),
  outcome,
  follow_ups: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
  isFlagged: fc.boolean(),
})

const anyClaim = fc.record({
  ts: anyMoment,
  model: aModel,
  project: aProject,
  evidence_tier: fc.constantFrom('REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC'),
  verdict: fc.constantFrom('holds', 'fails', 'open'),
  took: fc.constantFrom(undefined, null, 5),
})

const anyUse = fc.record({
  ts: anyMoment,
  skill: fc.constantFrom('tidy', 'plan'),
  project: aProject,
  success: fc.constantFrom(true, false, null),
  duration_ms: fc.oneof(fc.constantFrom(null, 0, 10, 1_000), fc.nat(30_000_000)),
})

export const anyAccount: fc.Arbitrary<Account> = fc
  .record({
    source: aSource,
    id: fc.constantFrom('one', 'two', 'three'),
    project: aProject,
    last_at: fc.option(anyMoment),
    agents: few(anyAgent),
    claims: few(anyClaim),
    uses: few(anyUse),
    cells: few(anyCell),
    outside: fc.option(
      few(fc.tuple(fc.constantFrom(null, 'opus', 'haiku'), fc.integer({ min: 1, max: 500 }))),
    ),
  })
  .map(({ source, id, project, last_at, agents, claims, uses, cells, outside }) => {
    const of = account(id, { source, project, last_at })
    const evidence = { source, session_id: id, agent_id: 'a', n: 1, tool_use_id: null, quote: null }
    return {
      ...of,
      agents: agents.map(({ follow_ups, isFlagged, ...agent }) =>
        createAgentAccount(of, {
          ...agent,
          status: {
            shipped: agent.outcome ?? 'fail',
            stubs: 0,
            checks: [],
            behaviour_verified: null,
            follow_ups,
          },
          flags: isFlagged ? [{ kind: 'stubs', says: 'stubs', evidence }] : [],
        }),
      ),
      claims: claims.map(({ verdict, took, ...claim }, n) =>
        createClaim(of, n, {
          ...claim,
          check: { verdict, says: '', evidence: null },
          estimate: took === undefined ? null : { quantity: 'count', said: 1, took, evidence: null },
        }),
      ),
      skills: uses.map((use, n) => createSkillUse(of, `t${n}`, use)),
      cells: cells.map(({ day, ...more }) => cell(day, more)),
      ...(outside && {
        outside: {
          cost_micro_usd: outside.reduce((sum, [, cost]) => sum + cost, 0),
          models: outside.map(([model, cost_micro_usd]) => ({ model, cost_micro_usd })),
        },
      }),
    }
  })
