import { describe, expect, it } from 'vitest'
import { fitted } from './fit.ts'

const told = (fields: object) => ({ event: 'agent_link', source: 'mine', session_id: 's1', ...fields })

describe('an event of a hook', () => {
  it('is kept as it is where every field fits', () => {
    const event = told({ id: 'a1', tool_use_id: 't1', key: 'k', other: [1] })
    expect(fitted(event)).toBe(event)
  })

  it('loses a field of another shape, and only that', () => {
    expect(fitted(told({ id: 'a1', background: 'yes', model: 'm', extra: 1 }))).toEqual(
      told({ id: 'a1', model: 'm', extra: 1 }),
    )
  })

  it.each(['source', 'session_id', 'id', 'parent_id', 'tool_use_id'])(
    'is a problem where its %s cannot be a name',
    (field) => {
      const fit = fitted(told({ id: 'a1', [field]: 7 }) as Parameters<typeof fitted>[0])
      expect(fit).toEqual({ problem: expect.any(String) })
    },
  )

  it('is a problem where it names an agent that cannot be one', () => {
    expect(fitted(told({ event: 'prompt', agent_id: 'a\0' }))).toHaveProperty('problem')
  })
})
