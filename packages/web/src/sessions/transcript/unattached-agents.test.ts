import type { OutlinedAgent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { agent } from './messages.test-kit.ts'
import { findAncestors, groupUnattachedAgents } from './thread.ts'

const outlined = (id: string, parent_id: string | null, made_at: number | null): OutlinedAgent => ({
  ...agent(id, null, parent_id),
  first: 1,
  last: 2,
  made_at,
  model: null,
  started_at: null,
  last_at: null,
  tool_calls: 0,
  errors: 0,
})

describe('agents without a known call', () => {
  it('belong to their parent, or to the session when the parents lead nowhere', () => {
    const loose = groupUnattachedAgents([
      outlined('main', null, null),
      outlined('a', 'main', 4),
      outlined('b', 'a', null),
      outlined('c', 'nobody', null),
      outlined('d', 'e', null),
      outlined('e', 'd', null),
    ])
    expect([...loose].map(([id, agents]) => [id, agents.map((one) => one.id)])).toEqual([
      ['a', ['b']],
      ['main', ['c', 'd', 'e']],
    ])
  })
})

describe('the agents above a message', () => {
  it('are its ancestors up to the session and survive cycles', () => {
    const agents = new Map(
      [outlined('a', 'main', 1), outlined('b', 'a', 2), outlined('x', 'y', 1), outlined('y', 'x', 1)].map(
        (one) => [one.id, one],
      ),
    )
    expect(findAncestors('b', agents)).toEqual(['b', 'a'])
    expect(findAncestors('main', agents)).toEqual([])
    expect(findAncestors('x', agents)).toEqual(['x', 'y'])
  })
})
