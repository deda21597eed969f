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

  it('count each once, whoever tells of its end, in whichever order', () => {
    tell('agent_done', { id: 'early' })
    tell('agent_spawn', { id: 'early' })
    tell('agent_spawn', { id: 'a' })
    tell('agent_done', { id: 'a' })
    tell('agent_link', { id: 'a', tool_use_id: 'A', status: 'completed' })
    tell('agent_spawn', { id: 'b' })
    tell('agent_link', { id: 'b', tool_use_id: 'B', status: 'completed' })
    tell('agent_spawn', { id: 'works' })
    expect(sums()).toEqual([4, 3, 0])
  })

  it('move one that ended to failed where its call failed, and count no call that made nobody', () => {
    tell('agent_link', { tool_use_id: 'nobody', status: 'failed' })
    tell('agent_spawn', { id: 'a' })
    tell('agent_link', { id: 'a', tool_use_id: 'A', status: 'launched' })
    tell('agent_done', { id: 'a' })
    expect(sums()).toEqual([1, 1, 0])
    tell('agent_link', { tool_use_id: 'A', status: 'failed' })
    expect(sums()).toEqual([1, 0, 1])
    tell('agent_link', { tool_use_id: 'B', status: 'failed' })
    tell('agent_spawn', { id: 'b' })
    tell('agent_link', { id: 'b', tool_use_id: 'B', status: 'launched' })
    expect(sums()).toEqual([2, 0, 2])
  })

  it('take one that was resumed for one at work, until it ends again', () => {
    tell('agent_spawn', { id: 'a' })
    tell('agent_done', { id: 'a', outcome: 'fail' })
    tell('agent_spawn', { id: 'a' })
    expect(sums()).toEqual([1, 0, 0])
    tell('agent_lost', { agent_id: 'a' })
    expect(sums()).toEqual([1, 1, 0])
  })

  it('know one agent under the name of its call', () => {
    tell('agent_spawn', { id: 'T' })
    tell('agent_link', { id: 'a', tool_use_id: 'T', status: 'launched' })
    tell('agent_spawn', { id: 'b' })
    tell('agent_spawn', { id: 'U' })
    tell('agent_link', { id: 'b', tool_use_id: 'U', status: 'completed' })
    expect(sums()).toEqual([2, 1, 0])
  })

  it('end with their session, and stay right however many there are', () => {
    for (let n = 0; n < 600; n += 1) tell('agent_spawn', { id: `a${n}` })
    for (let n = 0; n < 400; n += 1) tell('agent_done', { id: `a${n}` })
    expect(sums()).toEqual([600, 400, 0])
    tell('session_end')
    tell('session_end', { session_id: 'other' })
    expect(sums()).toEqual([600, 600, 0])
    expect(rows.entries()).toHaveLength(601)
  })
})
