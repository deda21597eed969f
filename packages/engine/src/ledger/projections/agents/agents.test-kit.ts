import type { Agent, StoredEvent } from '@panoptes/schema'
import { MemoryRows } from '../memory-rows.ts'
import { agentsProjection, shownAgent } from './index.ts'

export interface Story {
  /** An event of the session `s1`, a second after the last one unless it says when. */
  readonly tell: (event: string, fields?: object) => void
  readonly agent: (id: string) => Agent | undefined
  readonly states: () => Readonly<Record<string, string>>
  readonly rows: MemoryRows<Parameters<typeof shownAgent>[0]>
}

/** Events as they are stored, and what the projection makes of them. */
export function tellStory(): Story {
  const rows = new MemoryRows(agentsProjection)
  let seq = 0
  let ts = 0
  const agents = () => rows.entries().flatMap(([, row]) => shownAgent(row) ?? [])
  return {
    rows,
    tell: (event, fields = {}) => {
      seq += 1
      ts += 1_000
      const told = {
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
      ts = told.ts
      agentsProjection.apply(rows, told)
    },
    agent: (id) => agents().find((agent) => agent.id === id),
    states: () => Object.fromEntries(agents().map(({ id, state }) => [id, state])),
  }
}
