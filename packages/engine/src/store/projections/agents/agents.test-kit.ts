import type { Agent, StoredEvent } from '@panoptes/schema'
import { MemoryRows } from '../memory-rows.ts'
import { agentsProjection } from './projection.ts'
import { toAgent } from './row.ts'

export interface Story {
  /** Adds an event of session `s1`, one second after the previous one unless a time is given. */
  readonly tell: (event: string, fields?: object) => void
  readonly agent: (id: string) => Agent | undefined
  readonly states: () => Readonly<Record<string, string>>
  readonly rows: MemoryRows<Parameters<typeof toAgent>[0]>
}

/** Collects stored events and what the projection makes of them. */
export function tellStory(): Story {
  const rows = new MemoryRows(agentsProjection)
  let seq = 0
  let ts = 0
  const agents = () => rows.entries().flatMap(([, row]) => toAgent(row) ?? [])
  return {
    rows,
    tell: (event, fields = {}) => {
      seq += 1
      ts += 1_000
      const storedEvent = {
        v: 1,
        key: `k${seq}`,
        seq,
        ts,
        event,
        source: 'claude-code',
        host: 'here',
        session_id: 's1',
        ...fields,
      } as StoredEvent
      ts = storedEvent.ts
      agentsProjection.apply(rows, storedEvent)
    },
    agent: (id) => agents().find((agent) => agent.id === id),
    states: () => Object.fromEntries(agents().map(({ id, state }) => [id, state])),
  }
}
