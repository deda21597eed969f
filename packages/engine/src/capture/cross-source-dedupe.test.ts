import { describe, expect, it } from 'vitest'
import { createCrossSourceDedupe, eventSide, type Side } from './cross-source-dedupe.ts'
import type { HookEvent } from './hook.ts'

const MINUTE = 60_000
const START = 1_790_000_000_000

/** Reports events at given times and returns the keys under which they are stored. */
function observe(fields: Readonly<Record<string, unknown>>) {
  const dedupe = createCrossSourceDedupe()
  return (side: Side, ms: number, own: string, more: Readonly<Record<string, unknown>> = {}) => {
    const event = { source: 'claude-code', session_id: 's1', ...fields, ...more } as HookEvent
    return dedupe.resolveKey(side, event, START + ms, own)
  }
}

describe('an event that both hooks and a transcript report', () => {
  it.each([
    ['session_start', 5 * MINUTE, { reason: 'startup' }],
    ['session_end', 2 * MINUTE, {}],
    ['prompt', 2 * MINUTE, { prompt_preview: 'Tidy up' }],
    ['agent_spawn', 2 * MINUTE, { id: 'a1' }],
    ['agent_done', MINUTE, { id: 'a1' }],
    ['agent_wait', 10 * MINUTE, { call: 'toolu_1' }],
    ['claim', MINUTE, { agent_id: 'a1', value: 'done', tier: 'A', pointer: 'a.ts:1' }],
    ['skill_use', MINUTE, { source: 'hermes', agent_id: 'main', skill: 'tidy' }],
  ])('gets one key as %s within %i ms, whichever side reports first', (event, within, fields) => {
    for (const [first, second] of [
      ['hook', 'transcript'],
      ['transcript', 'hook'],
    ] as const) {
      const near = observe({ event, ...fields })
      expect(near(first, 0, 'own')).toBe('own')
      expect(near(second, within, 'other')).toBe('own')
      const far = observe({ event, ...fields })
      far(first, 0, 'own')
      expect(far(second, within + 1, 'other')).toBe('other')
    }
  })

  it('matches only one event of the other side', () => {
    const tell = observe({ event: 'prompt', prompt_preview: 'go on' })
    expect(tell('hook', 0, 'h1')).toBe('h1')
    expect(tell('transcript', 100, 't1')).toBe('h1')
    expect(tell('transcript', 200, 't2')).toBe('t2')
    expect(tell('hook', 300, 'h2')).toBe('t2')
    expect(tell('hook', 400, 'h3')).toBe('h3')
  })

  it('matches the nearest event in time', () => {
    const tell = observe({ event: 'prompt', prompt_preview: 'go on' })
    tell('hook', 0, 'h1')
    tell('hook', 30_000, 'h2')
    tell('hook', 60_000, 'h3')
    expect(tell('transcript', 31_000, 't1')).toBe('h2')
    expect(tell('transcript', 32_000, 't2')).toBe('h3')
    expect(tell('transcript', 33_000, 't3')).toBe('h1')
  })

  it('matches by name before time', () => {
    const tell = observe({ event: 'claim', agent_id: 'a1', value: 'x', tier: 'A', pointer: 'p' })
    tell('hook', 0, 'same')
    tell('hook', 5_000, 'near')
    expect(tell('transcript', 5_001, 'same')).toBe('same')
    expect(tell('transcript', 5_002, 'late')).toBe('near')
  })

  it('has the same key when one side reports it repeatedly', () => {
    const tell = observe({ event: 'prompt', prompt_preview: 'go on' })
    tell('hook', 0, 'h1')
    expect(tell('transcript', 10, 't1')).toBe('h1')
    expect(tell('transcript', 90 * MINUTE, 't1')).toBe('h1')
    expect(tell('hook', 90 * MINUTE, 'h1')).toBe('h1')
  })
})

describe('similar but different events', () => {
  it.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
    ['another session', { event: 'session_end' }, { session_id: 's2' }],
    ['another source', { event: 'session_end' }, { source: 'hermes' }],
    ['another agent that began', { event: 'agent_spawn', id: 'a1' }, { id: 'a2' }],
    ['another agent that ended', { event: 'agent_done', id: 'a1' }, { id: 'a2' }],
    ['another turn that ended', { event: 'agent_done', id: 'a1', prompt_id: 'p1' }, { prompt_id: 'p2' }],
    ['another text', { event: 'prompt', prompt_preview: 'one' }, { prompt_preview: 'two' }],
    ['another prompt of the same text', { event: 'prompt', prompt_id: 'p1' }, { prompt_id: 'p2' }],
    ['a prompt to another agent', { event: 'prompt', prompt_preview: 'x' }, { about: 'a1' }],
    ['a wait for another call', { event: 'agent_wait', call: 'c1' }, { call: 'c2' }],
    ['another claim', { event: 'claim', agent_id: 'a', value: 'x' }, { value: 'y' }],
    ['a claim of another tier', { event: 'claim', agent_id: 'a', tier: 'A' }, { tier: 'B' }],
    ['another skill', { event: 'skill_use', source: 'hermes', skill: 'x' }, { skill: 'y' }],
  ])('stay separate: %s', (_what, fields, other) => {
    const tell = observe(fields)
    tell('hook', 0, 'h1')
    expect(tell('transcript', 1, 't1', other)).toBe('t1')
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a session that is resumed', { event: 'session_start', reason: 'resume' }],
    ['a session that was compacted', { event: 'session_start', reason: 'compact' }],
    ['a wait without a call', { event: 'agent_wait', reason: 'allow?' }],
    ['a skill that names its call', { event: 'skill_use', skill: 'tidy' }],
    ['a tool call, which has an id', { event: 'tool_use', id: 't1' }],
  ])('keep a key of their own: %s', (_what, fields) => {
    const tell = observe(fields)
    tell('hook', 0, 'h1')
    expect(tell('transcript', 1, 't1')).toBe('t1')
  })

  it('compares only the first 150 characters of a prompt, which both sides report', () => {
    const text = 'x'.repeat(150)
    const tell = observe({ event: 'prompt', prompt_preview: `${text} by its hook` })
    tell('hook', 0, 'h1')
    expect(tell('transcript', 1, 't1', { prompt_preview: `${text} as written` })).toBe('h1')
    tell('hook', 2, 'h2', { prompt_preview: `${text.slice(1)}y` })
    expect(tell('transcript', 3, 't2', { prompt_preview: `${text.slice(1)}z` })).toBe('t2')
  })
})

it('reads from the `via` field which side reported an event', () => {
  expect([eventSide({ via: 'transcript' }), eventSide({ via: 'otlp' }), eventSide({})]).toEqual([
    'transcript',
    'hook',
    'hook',
  ])
})
