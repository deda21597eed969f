import type { StoredEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { MemoryRows } from '../memory-rows.ts'
import { rowKey } from '../projection.ts'
import { agentsProjection } from './projection.ts'
import { newAgent, newSession, type Row, toAgent } from './row.ts'

const event = (kind: string, fields: object): StoredEvent => ({
  v: 1,
  key: 'k',
  seq: 1,
  ts: 2_000,
  event: kind,
  source: 'custom',
  host: 'here',
  session_id: 's',
  ...fields,
})

/** Rows as they were before waits, failures and reopenings were recorded one by one. */
function olderRows(): MemoryRows<Row> {
  const group = rowKey('custom', 's')
  const { session_of, over, last_at, made } = newSession(group, 1_000)
  const agent = (id: string, mood: string, more: object) => {
    const row = newAgent(id, event('agent_spawn', { ts: 1_000 }), 0)
    const book = {
      starts: 1,
      stops: 0,
      ended_calls: [],
      failed: false,
      session_over: false,
      open: [],
      mood,
      ...more,
    }
    return [rowKey(group, id), { ...row, wait_reason: mood === 'waiting' ? 'asks' : null, book }] as const
  }
  const rows = [
    [group, { session_of, over, last_at, made }],
    agent('main', 'working', {}),
    agent('asks', 'waiting', {}),
    agent('slow', 'stuck', {}),
    agent('bad', 'working', { stops: 1, failed: true }),
  ]
  return new MemoryRows(agentsProjection, rows as unknown as Iterable<readonly [string, Row]>)
}

it('continues from rows of agents that an older version left where the log was cut', () => {
  const rows = olderRows()
  const states = () =>
    Object.fromEntries(
      rows.entries().flatMap(([, row]) => {
        const agent = toAgent(row)
        return agent ? [[agent.id, agent.state]] : []
      }),
    )
  for (const id of ['main', 'asks', 'slow', 'bad'])
    agentsProjection.apply(rows, event('hook', { agent_id: id }))
  expect(states()).toEqual({ main: 'working', asks: 'waiting', slow: 'working', bad: 'failed' })
  agentsProjection.apply(rows, event('tool_use', { agent_id: 'asks', id: 't', tool: 'Bash' }))
  agentsProjection.apply(rows, event('agent_done', { id: 'main' }))
  expect(states()).toMatchObject({ main: 'done', asks: 'working' })
  agentsProjection.apply(rows, event('session_end', {}))
  expect(states()).toEqual({ main: 'done', asks: 'done', slow: 'done', bad: 'failed' })
})
