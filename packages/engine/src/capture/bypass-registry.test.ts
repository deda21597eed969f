import { describe, expect, it } from 'vitest'
import { createBypassed, NO_BYPASS } from './bypass-registry.ts'

const event = (kind: string, session_id = 's1', source = 'claude-code') => ({
  event: kind,
  source,
  session_id,
  key: `${kind}-${session_id}`,
})
const CLAIMS = { claims: true, skills: false }
const SKILLS = { claims: false, skills: true }

describe('createBypassed', () => {
  it('leaves out exactly what any payload of the session excluded', () => {
    const bypassed = createBypassed(NO_BYPASS)
    bypassed.note([event('session_start')], CLAIMS)
    expect(bypassed.isLeftOut(event('claim'))).toBe(true)
    expect(bypassed.isLeftOut(event('skill_use'))).toBe(false)
    bypassed.note([event('prompt')], SKILLS)
    expect(bypassed.isLeftOut(event('claim'))).toBe(true)
    expect(bypassed.isLeftOut(event('skill_use'))).toBe(true)
    expect(bypassed.isLeftOut(event('prompt'))).toBe(false)
    expect(bypassed.isLeftOut(event('claim', 's2'))).toBe(false)
    expect(bypassed.isLeftOut(event('claim', 's1', 'hermes'))).toBe(false)
  })

  it('stores the bypass once per session and kind', () => {
    const bypassed = createBypassed(NO_BYPASS)
    const noted = [event('prompt'), event('tool_use'), event('prompt', 's2')]
    expect(bypassed.note(noted, { claims: true, skills: true }).map(({ key }) => key)).toEqual([
      'claude-code:s1:bypass:claims',
      'claude-code:s1:bypass:skills',
      'claude-code:s2:bypass:claims',
      'claude-code:s2:bypass:skills',
    ])
    expect(bypassed.note(noted, NO_BYPASS)).toEqual([])
  })

  it('restores the bypass from stored events', () => {
    const bypassed = createBypassed(NO_BYPASS)
    bypassed.recall({ ...event('bypass'), skills: true })
    bypassed.recall({ ...event('bypass'), claims: true })
    bypassed.recall({ ...event('prompt', 's2'), claims: true })
    expect([event('claim'), event('skill_use'), event('claim', 's2')].map(bypassed.isLeftOut)).toEqual([
      true,
      true,
      false,
    ])
  })

  it("applies to every session when the daemon's own environment has a bypass", () => {
    const bypassed = createBypassed(SKILLS)
    expect([event('claim'), event('skill_use')].map(bypassed.isLeftOut)).toEqual([false, true])
  })
})
