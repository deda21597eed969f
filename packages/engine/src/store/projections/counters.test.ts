import type { Counters, StoredEvent } from '@panoptes/schema'
import { countedState } from '@panoptes/schema/reading'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentsRow, COUNTERS_KEY, foldEvent, MemoryRows, projections, toAgent } from './index.ts'

const empty = () => new Map(projections.map((each) => [each.name, new MemoryRows(each)]))
let sets = empty()
let seq = 0
beforeEach(() => {
  sets = empty()
  seq = 0
})

function tell(event: string, fields: object = {}): void {
  seq += 1
  const base = { v: 1, key: `k${seq}`, seq, ts: seq, event, source: 'claude-code', host: '', session_id: 's' }
  foldEvent(({ name }) => sets.get(name) as MemoryRows<object>, { ...base, ...fields } as StoredEvent)
}

const counters = () => sets.get('counters')?.get(COUNTERS_KEY) as Counters

/** Counts from the list of agents, which the counters must match. */
function listed(): readonly number[] {
  const rows = sets.get('agents')?.entries() ?? []
  const agents = rows.flatMap(([, row]) => toAgent(row as AgentsRow) ?? []).filter(({ id }) => id !== 'main')
  const of = (counted: string) => agents.filter((agent) => countedState(agent) === counted).length
  return [agents.length, of('done'), of('failed'), of('stopped')]
}

function sums(): readonly number[] {
  const { agents_spawned, agents_done, agents_failed, agents_stopped } = counters()
  expect(listed()).toEqual([agents_spawned, agents_done, agents_failed, agents_stopped])
  return [agents_spawned, agents_done, agents_failed, agents_stopped]
}

describe('counters spawned, done and failed', () => {
  it("count sub-agents, and no turn of a session's own agent", () => {
    for (let turn = 0; turn < 5; turn += 1) {
      tell('prompt', { agent_id: 'main' })
      tell('agent_done', { id: 'main' })
    }
    tell('agent_done', { id: 's', error: 'x' })
    expect(sums()).toEqual([0, 0, 0, 0])
  })

  it('count each sub-agent once by its present state, even after a resume', () => {
    tell('agent_spawn', { id: 'a' })
    tell('agent_link', { id: 'a', tool_use_id: 'A', status: 'launched' })
    tell('agent_done', { id: 'a', outcome: 'fail' })
    expect(sums()).toEqual([1, 0, 1, 0])
    tell('agent_spawn', { id: 'a' })
    tell('agent_lost', { agent_id: 'a' })
    expect(sums()).toEqual([1, 0, 0, 1])
    tell('agent_spawn', { id: 'a' })
    expect(sums()).toEqual([1, 0, 0, 0])
    tell('agent_done', { id: 'a', outcome: 'functional' })
    expect(sums()).toEqual([1, 1, 0, 0])
  })

  it("count sub-agents that their session's end cut off, until their own end arrives late", () => {
    tell('prompt', { agent_id: 'main' })
    for (const id of ['a', 'b', 'c']) tell('agent_spawn', { id })
    tell('agent_done', { id: 'a' })
    tell('session_end', {})
    expect(sums()).toEqual([3, 1, 0, 2])
    tell('agent_done', { id: 'b' })
    expect(sums()).toEqual([3, 2, 0, 1])
  })

  it('count an agent whose end only its call reported, and nothing of a session that a hook started', () => {
    tell('agent_spawn', { id: 'a' })
    tell('agent_link', { id: 'a', tool_use_id: 'A', status: 'completed' })
    expect(sums()).toEqual([1, 1, 0, 0])
    tell('agent_spawn', { id: 'h', session_id: 'hooks', from_hook: true })
    expect(sums()).toEqual([1, 1, 0, 0])
  })

  it('count no failed call without an agent, and nothing that a hook started', () => {
    tell('agent_link', { tool_use_id: 'nobody', status: 'failed' })
    tell('agent_spawn', { id: 'hidden', from_hook: true })
    tell('agent_done', { id: 'hidden', from_hook: true })
    expect(sums()).toEqual([0, 0, 0, 0])
  })
})

it('subtract what is taken back, but never go below zero', () => {
  const counts = { input: 5, output: 2, cache_read: 3, cache_write: 1 }
  const face = () => {
    const { tokens_in, tokens_out, cache_read, cache_write, cost_micro_usd, cost_unknown, claims } =
      counters()
    return [tokens_in, tokens_out, cache_read, cache_write, cost_micro_usd, cost_unknown, claims]
  }
  tell('usage', { ...counts, cost_usd: 1 })
  tell('usage', counts)
  tell('claim', {})
  tell('claim', {})
  tell('taken_back', { of: 'usage', ...counts, cost_usd: 1 })
  tell('taken_back', { of: 'claim', claims: 1 })
  expect(face()).toEqual([5, 2, 3, 1, 0, 1, 1])
  for (let times = 0; times < 2; times += 1) {
    tell('taken_back', { of: 'usage', ...counts })
    tell('taken_back', { of: 'claim', claims: 1 })
  }
  expect(face()).toEqual([0, 0, 0, 0, 0, 0, 0])
})
