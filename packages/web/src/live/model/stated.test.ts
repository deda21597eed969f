import { describe, expect, it } from 'vitest'
import { agent, NOW } from '../agents.test-kit.ts'
import { labelNote } from '../draw/notes.ts'
import { skillOf, statedLine } from './stated.ts'

const skill = (success: boolean | null) => ({ name: 'tidy', ts: NOW, success })
const claims = { count: 3, last: { value: 'took 3.2 s', tier: 'REAL', ts: NOW } }

describe('what an agent states', () => {
  it('is its skill with a sign for how it went, and its last claim with what it stands on', () => {
    expect(statedLine(agent())).toBeNull()
    expect(statedLine(agent({ skill: skill(null) }))).toBe('skill tidy')
    expect(statedLine(agent({ skill: skill(true) }))).toBe('skill tidy ✓')
    expect(statedLine(agent({ skill: skill(false), claims }))).toBe('skill tidy ✕ · REAL “took 3.2 s” +2')
  })

  it('has a shape of its own while nobody knows how the skill went', () => {
    expect(skillOf(agent({ skill: skill(null) }))?.glyph).toBe('working')
    expect(skillOf(agent({ skill: skill(null), state: 'done' }))?.glyph).toBe('unknown')
    expect(skillOf(agent({ skill: skill(false) }))?.glyph).toBe('failed')
  })

  it('is one line without anything that would not be seen, however long', () => {
    const long = { count: 1, last: { value: `a\n\u202eb ${'x'.repeat(4_000)}`, tier: 'REAL', ts: NOW } }
    const line = statedLine(agent({ claims: long })) ?? ''
    expect(line.length).toBeLessThan(100)
    expect(line).not.toMatch(/[\n\u202e]/)
  })
})

describe('the note under a name', () => {
  it('says what came of it and what it states', () => {
    const done = agent({ state: 'done', outcome: 'partial', ended_at: NOW, claims })
    expect(labelNote(done, NOW)).toBe('done: partial · REAL “took 3.2 s” +2')
    expect(labelNote(agent({ skill: skill(null) }), NOW)).toBe('skill tidy')
    expect(labelNote(agent(), NOW)).toBeNull()
  })

  it('leaves the room to who needs someone, and is short on a phone', () => {
    const asks = agent({ state: 'waiting', wait_reason: 'allow Bash?', claims })
    expect(labelNote(asks, NOW)).toBe('waits: allow Bash?')
    expect(labelNote(agent({ skill: skill(null) }), NOW, true)).toBeNull()
  })
})
