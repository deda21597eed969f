import { describe, expect, it } from 'vitest'
import { fitEvent } from './hook.ts'

const linkEvent = (fields: object) => ({ event: 'agent_link', source: 'mine', session_id: 's1', ...fields })

describe('fitted', () => {
  it('keeps an event whose fields all fit', () => {
    const event = linkEvent({ id: 'a1', tool_use_id: 't1', key: 'k', other: [1] })
    expect(fitEvent(event)).toBe(event)
  })

  it('drops only the field of the wrong shape', () => {
    expect(fitEvent(linkEvent({ id: 'a1', background: 'yes', model: 'm', extra: 1 }))).toEqual(
      linkEvent({ id: 'a1', model: 'm', extra: 1 }),
    )
  })

  it.each(['source', 'session_id', 'id', 'parent_id', 'tool_use_id'])(
    'reports a problem when %s cannot be a name',
    (field) => {
      const fit = fitEvent(linkEvent({ id: 'a1', [field]: 7 }) as Parameters<typeof fitEvent>[0])
      expect(fit).toEqual({ problem: expect.any(String) })
    },
  )

  it('reports a problem when the agent id is invalid', () => {
    expect(fitEvent(linkEvent({ event: 'prompt', agent_id: 'a\0' }))).toHaveProperty('problem')
  })
})
