import type { Account, AgentAccount } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { accountsOf, claudeCode } from './make.test-kit.ts'

const PARALLEL = 'ea691ccd'
const FILES = '290c6983'
const SKILL = '03c5563d'
const FAILURE = '30d748bb'

const recorded = async (run: string): Promise<Account> => {
  const found = (await accountsOf(claudeCode())).find(({ session_id }) => session_id.startsWith(run))
  if (found === undefined) throw new Error(`there is no run ${run}`)
  return found
}

const row = (agents: readonly AgentAccount[], id: string) => {
  const found = agents.find(({ agent_id }) => agent_id.startsWith(id))
  if (found === undefined) throw new Error(`there is no agent ${id}`)
  const { tokens_in, tokens_out, cache_read, cache_write, cost_micro_usd, ...more } = found
  return { ...more, spent: [tokens_in, tokens_out, cache_read, cache_write, cost_micro_usd] }
}

/**
 * Reply k (from 0) of an agent used 100 + k input tokens and 42 output tokens, read 50 k tokens
 * from the cache and wrote 7. So three replies used 100 + 101 + 102 = 303 and 3 × 42 = 126, read 0
 * + 50 + 100 = 150 and wrote 3 × 7 = 21; two used 201, 84, 50 and 14. The micro-dollars of each
 * reply are in the test of the session index.
 */
const THREE = [303, 126, 150, 21]
const TWO = [201, 84, 50, 14]

it('gives a row for each agent of the parallel run: functional, partial, none; stubs 0, 2', async () => {
  const { agents, claims, skills, cells } = await recorded(PARALLEL)
  expect(agents).toHaveLength(4)
  expect(row(agents, 'main')).toMatchObject({
    outcome: null,
    stubs: null,
    status: null,
    parent_id: null,
    subagent_type: null,
    model: 'claude-opus-4-8',
    tool_use_count: 4,
    tool_stats: { Agent: 3, Bash: 1 },
    errors: 0,
    // 08:07:44.017 to 08:07:46.226
    duration_ms: 2_209,
    spent: [...THREE, 4_872],
  })
  expect(row(agents, 'a74ba0b6')).toMatchObject({
    outcome: 'functional',
    stubs: 0,
    parent_id: 'main',
    subagent_type: 'general-purpose',
    description: 'survey',
    tool_use_count: 2,
    tool_stats: { Bash: 1, Read: 1 },
    errors: 0,
    // As the client measured it; its own messages are 1,249 ms apart.
    duration_ms: 1_287,
    spent: [...THREE, 4_872],
    status: { shipped: 'functional', stubs: 0, checks: [], behaviour_verified: 'yes', follow_ups: [] },
  })
  expect(row(agents, 'abc9b853')).toMatchObject({
    outcome: 'partial',
    stubs: 2,
    description: 'count',
    tool_stats: { Bash: 2 },
    duration_ms: 905,
    spent: [...TWO, 3_218],
    status: { behaviour_verified: 'no', follow_ups: ['count hidden files'] },
    said_at: { agent_id: expect.stringMatching(/^abc9b853/), quote: 'shipped: partial' },
  })
  expect(row(agents, 'a24c5c34')).toMatchObject({
    outcome: null,
    stubs: null,
    subagent_type: 'Explore',
    model: 'claude-haiku-4-5-20251001',
    tool_stats: { Read: 1, Grep: 1 },
    errors: 2,
    duration_ms: 656,
    spent: [...THREE, 975],
  })
  expect([claims, skills]).toEqual([[], []])
  const paid = cells.map(({ agent_id, day, replies, skill }) => [agent_id.slice(0, 4), day, replies, skill])
  expect(paid).toEqual([
    ['a24c', '2026-11-15', 3, null],
    ['a74b', '2026-11-15', 3, null],
    ['abc9', '2026-11-15', 2, null],
    ['main', '2026-11-15', 3, null],
  ])
})

it('gives three claims with their tiers for the run with files', async () => {
  const { agents, claims } = await recorded(FILES)
  expect(row(agents, 'main')).toMatchObject({
    outcome: null,
    tool_use_count: 5,
    tool_stats: { Read: 1, Edit: 1, Write: 1, Glob: 1, Grep: 1 },
    errors: 2,
    // 100 + … + 104, 5 × 42, 0 + 50 + 100 + 150 + 200, 5 × 7
    spent: [510, 210, 500, 35, 8_270],
  })
  expect(
    claims.map(({ value, evidence_tier, pointer, place }) => [place, value, evidence_tier, pointer]),
  ).toEqual([
    [0, 'Edited two files. Build took 3.2 s', 'REAL', 'bash:toolu_x'],
    [1, 'and a full run takes about 5 minutes', 'ESTIMATE-HTC', 'similar-project'],
    [2, '; last week it was 12 tests', 'FROM-JOURNAL', 'time-metrics#42'],
  ])
  expect(claims[0]).toMatchObject({
    agent_id: 'main',
    message_id: 'msg_19',
    ts: Date.UTC(2026, 10, 15, 8, 7, 53, 56),
    model: 'claude-opus-4-8',
    check: { verdict: 'open' },
    estimate: null,
  })
})

it('gives one successful use of a skill and the cost in its scope', async () => {
  const { agents, skills, cells } = await recorded(SKILL)
  expect(row(agents, 'main')).toMatchObject({ tool_stats: { Skill: 1, Bash: 1 }, spent: [...THREE, 4_872] })
  expect(skills).toEqual([
    {
      source: 'claude-code',
      session_id: expect.stringMatching(/^03c5563d/),
      agent_id: 'main',
      project: 'notes',
      id: 'toolu_20_0',
      skill: 'tidy',
      ts: Date.UTC(2026, 10, 15, 8, 7, 55, 787),
      success: true,
      reason: null,
      // From 55.787, when it was called, to 56.203, when Bash ended.
      duration_ms: 416,
      how: 'call',
      trajectory_id: null,
      n: 1,
    },
  ])
  // Opus: input 5, output 25, read 0.5, write 6.25 per token. Without a cache each of the three
  // would have cost 5: writing cost 7 × 1.25 more, reading 4.5 less per token.
  expect(cells).toEqual([
    {
      ...CELL,
      skill: null,
      replies: 1,
      tokens_in: 100,
      tokens_out: 42,
      cache_write: 7,
      cost_micro_usd: 1_594,
      saved_micro_usd: -9,
    },
    {
      ...CELL,
      skill: 'tidy',
      replies: 2,
      tokens_in: 203,
      tokens_out: 84,
      cache_read: 150,
      cache_write: 14,
      cost_micro_usd: 3_278,
      saved_micro_usd: 657,
    },
  ])
})

const CELL = {
  day: '2026-11-15',
  agent_id: 'main',
  model: 'claude-opus-4-8',
  cache_read: 0,
  usage_unknown: 0,
  cost_unknown: 0,
}

it('counts the failures of the run of failures', async () => {
  const { agents, claims, skills, project } = await recorded(FAILURE)
  expect(row(agents, 'main')).toMatchObject({
    tool_stats: { Bash: 1, Read: 1 },
    errors: 2,
    spent: [...THREE, 4_872],
  })
  expect([claims, skills, project]).toEqual([[], [], 'notes'])
})
