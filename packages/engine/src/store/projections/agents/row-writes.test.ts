import type { StoredEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MemoryRows } from '../memory-rows.ts'
import { agentsProjection } from './projection.ts'
import type { Row } from './row.ts'

/** Rows that keep exactly what is set: a change made to a row without setting it again is lost. */
class StrictRows extends MemoryRows<Row> {
  override get(key: string): Row | undefined {
    return structuredClone(super.get(key))
  }

  override set(key: string, row: Row): void {
    super.set(key, structuredClone(row))
  }

  override group(name: string): readonly (readonly [string, Row])[] {
    return structuredClone(super.group(name))
  }

  override alive(name: string): readonly (readonly [string, Row])[] {
    return structuredClone(super.alive(name))
  }
}

const id = fc.constantFrom('main', 'a', 'b', 'T', 'U')
const call = fc.constantFrom('T', 'U', 'V')
const kinds = fc.oneof(
  fc.record({ event: fc.constantFrom('prompt', 'session_start', 'session_end', 'hook'), agent_id: id }),
  fc.record({ event: fc.constant('agent_spawn'), id, parent_id: id }),
  fc.record({ event: fc.constant('agent_done'), id }),
  fc.record({
    event: fc.constant('tool_use'),
    agent_id: id,
    id: call,
    tool: fc.constantFrom('Agent', 'Bash'),
  }),
  fc.record({ event: fc.constant('tool_done'), agent_id: id, id: call, ok: fc.boolean() }),
  fc.record({ event: fc.constant('agent_link'), tool_use_id: call, status: fc.constant('failed') }),
  fc.record({
    event: fc.constant('agent_link'),
    id,
    parent_id: id,
    tool_use_id: call,
    status: fc.constantFrom('launched', 'completed', 'failed'),
  }),
  fc.record({ event: fc.constant('agent_wait'), agent_id: id, wait: fc.constant('permission_prompt') }),
  fc.record({ event: fc.constant('tool_use'), agent_id: id, from_hook: fc.boolean() }),
)

it('sets every row of the agents projection again after its last change', () => {
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 40 }), (sequence) => {
      const rows = new MemoryRows(agentsProjection)
      const strict = new StrictRows(agentsProjection)
      sequence.forEach((fields, at) => {
        const event = {
          v: 1,
          key: `k${at}`,
          seq: at + 1,
          ts: (at + 1) * 1_000,
          source: 'claude-code',
          host: 'here',
          session_id: 's1',
          ...fields,
        } as StoredEvent
        agentsProjection.apply(rows, event)
        agentsProjection.apply(strict, structuredClone(event))
      })
      expect(strict.entries()).toEqual(rows.entries())
    }),
    { numRuns: 1_000 },
  )
})
