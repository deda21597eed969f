import type { Counters, StoredEvent } from '@panoptes/schema'
import { beforeEach, describe, expect, it } from 'vitest'
import { COUNTERS_KEY, countersProjection } from './counters.ts'
import { MemoryRows } from './memory-rows.ts'

let rows = new MemoryRows(countersProjection)
let seq = 0
beforeEach(() => {
  rows = new MemoryRows(countersProjection)
  seq = 0
})

function tell(event: string, fields: object = {}): void {
  seq += 1
  const told = { v: 1, key: `k${seq}`, seq, ts: seq, event, source: 'claude-code', host: '', session_id: 's' }
  countersProjection.apply(rows, { ...told, ...fields } as StoredEvent)
}

function sums(): readonly number[] {
  const { agents_spawned, agents_done, agents_failed } = rows.get(COUNTERS_KEY) as Counters
  return [agents_spawned, agents_done, agents_failed]
}

describe('spawned, done and failed', () => {
  it("count sub-agents, and no turn of a session's own agent", () => {
    for (let turn = 0; turn < 5; turn += 1) {
      tell('prompt', { agent_id: 'main' })
      tell('agent_done', { id: 'main' })
    }
    tell('agent_done', { id: 's', error: 'x' })
    expect(sums()).toEqual([0, 0, 0])
  })

  it('count beginnings and ends as they are told: one that is resumed begins and ends again', () => {
    tell('agent_spawn', { id: 'a' })
    tell('agent_link', { id: 'a', tool_use_id: 'A', status: 'launched' })
    tell('agent_done', { id: 'a', outcome: 'fail' })
    expect(sums()).toEqual([1, 0, 1])
    tell('agent_spawn', { id: 'a' })
    tell('agent_lost', { agent_id: 'a' })
    expect(sums()).toEqual([2, 1, 1])
  })

  it('count no failed call that made nobody, and nothing that a hook started', () => {
    tell('agent_link', { tool_use_id: 'nobody', status: 'failed' })
    tell('agent_spawn', { id: 'hidden', from_hook: true })
    tell('agent_done', { id: 'hidden', from_hook: true })
    expect(sums()).toEqual([0, 0, 0])
  })
})

it('what is taken back no longer counts, and never less than nothing', () => {
  const counts = { input: 5, output: 2, cache_read: 3, cache_write: 1 }
  const face = () => {
    const { tokens_in, tokens_out, cache_read, cache_write, cost_micro_usd, cost_unknown, claims } = rows.get(
      COUNTERS_KEY,
    ) as Counters
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
