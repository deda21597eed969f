import { describe, expect, it } from 'vitest'
import { agent, NOW } from '../agents.test-kit.ts'
import { labelNotes } from '../draw/notes.ts'
import { markerLine, skillLabel } from './markers.ts'

const skill = (success: boolean | null) => ({ name: 'tidy', ts: NOW, success })
const claims = { count: 3, last: { value: 'took 3.2 s', tier: 'REAL', ts: NOW } }

describe('the marker line of an agent', () => {
  it('shows the last skill with its result and the last claim with its tier', () => {
    expect(markerLine(agent())).toBeNull()
    expect(markerLine(agent({ skill: skill(null) }))).toBe('skill tidy')
    expect(markerLine(agent({ skill: skill(true) }))).toBe('skill tidy ✓')
    expect(markerLine(agent({ skill: skill(false), claims }))).toBe('skill tidy ✕ · REAL “took 3.2 s” +2')
  })

  it('shows the skill as running while the agent works and as unknown afterwards', () => {
    expect(skillLabel(agent({ skill: skill(null) }))?.glyph).toBe('working')
    expect(skillLabel(agent({ skill: skill(null), state: 'done' }))?.glyph).toBe('unknown')
    expect(skillLabel(agent({ skill: skill(false) }))?.glyph).toBe('failed')
  })

  it('is one short line without invisible characters', () => {
    const long = { count: 1, last: { value: `a\n\u202eb ${'x'.repeat(4_000)}`, tier: 'REAL', ts: NOW } }
    const line = markerLine(agent({ claims: long })) ?? ''
    expect(line.length).toBeLessThan(100)
    expect(line).not.toMatch(/[\n\u202e]/)
  })
})

describe('the note under a label', () => {
  it('shows the outcome, the skill and the claim', () => {
    const done = agent({ state: 'done', outcome: 'partial', ended_at: NOW, claims })
    expect(labelNotes(done, NOW)).toEqual(['done: partial', 'REAL “took 3.2 s” +2'])
    expect(labelNotes({ ...done, skill: skill(true) }, NOW)[0]).toBe('done: partial · skill tidy ✓')
    expect(labelNotes(agent({ skill: skill(null) }), NOW)).toEqual(['skill tidy'])
    expect(labelNotes(agent(), NOW)).toEqual([])
  })

  it('shows only the wait reason of a waiting agent, and no skill on a phone', () => {
    const asks = agent({ state: 'waiting', wait_reason: 'allow Bash?', claims })
    expect(labelNotes(asks, NOW)).toEqual(['waits: allow Bash?'])
    expect(labelNotes(agent({ skill: skill(null) }), NOW, true)).toEqual([])
  })
})
