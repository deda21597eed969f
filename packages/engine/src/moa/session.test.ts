import { describe, expect, it } from 'vitest'
import { SessionStates } from './session.ts'

describe('what is kept of sessions', () => {
  it('is of one session and one preset', () => {
    const states = new SessionStates()
    expect(states.of('s', 'p')).toBe(states.of('s', 'p'))
    expect(states.of('s', 'p')).not.toBe(states.of('s', 'o'))
    expect(states.of('s', 'p')).not.toBe(states.of('t', 'p'))
  })

  it('is of the 500 that were last heard of', () => {
    const states = new SessionStates()
    const [first, second] = [states.of('0', 'p'), states.of('1', 'p')]
    for (let n = 2; n < 500; n += 1) states.of(String(n), 'p')
    expect(states.of('0', 'p')).toBe(first)
    states.of('500', 'p')
    expect(states.of('0', 'p')).toBe(first)
    expect(states.of('1', 'p')).not.toBe(second)
  })

  it('is less where they said very much', () => {
    const states = new SessionStates()
    const [first, second] = [states.of('0', 'p'), states.of('1', 'p')]
    first.size = 40_000_000
    second.size = 40_000_000
    expect(states.of('1', 'p')).toBe(second)
    expect(states.of('0', 'p')).not.toBe(first)
  })
})
