import type { MoaTurn } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { type OpenTurn, SessionState, SessionStates } from './session.ts'

describe('session states', () => {
  it('are kept per session and preset', () => {
    const states = new SessionStates()
    expect(states.of('s', 'p')).toBe(states.of('s', 'p'))
    expect(states.of('s', 'p')).not.toBe(states.of('s', 'o'))
    expect(states.of('s', 'p')).not.toBe(states.of('t', 'p'))
  })

  it('are kept for the 500 most recently used', () => {
    const states = new SessionStates()
    const [first, second] = [states.of('0', 'p'), states.of('1', 'p')]
    for (let n = 2; n < 500; n += 1) states.of(String(n), 'p')
    expect(states.of('0', 'p')).toBe(first)
    states.of('500', 'p')
    expect(states.of('0', 'p')).toBe(first)
    expect(states.of('1', 'p')).not.toBe(second)
  })

  it('are kept for fewer sessions if their advice is long', () => {
    const states = new SessionStates()
    const names = Array.from({ length: 12 }, (_, n) => String(n))
    const made = names.map((name) => {
      const state = states.of(name, 'p')
      advised(state, 'q', 8_000_000)
      return state
    })
    const left = names.filter((name, at) => states.of(name, 'p') === made[at])
    expect(left.length).toBeLessThan(9)
    expect(states.of('11', 'p')).toBe(made[11])
  })
})

const advised = (state: SessionState, key: string, characters: number): OpenTurn => {
  const turn = state.openTurn(key, true, 0)
  const fanOut = { ran: Promise.resolve([]), size: 0 }
  state.keepFanOut(turn, key, fanOut)
  state.sized(fanOut, [{ label: 'a', text: 'x'.repeat(characters) }])
  return turn
}

describe('open turns of a session', () => {
  it('are limited to sixteen, and answered turns are dropped first', () => {
    const state = new SessionState()
    const loops = Array.from({ length: 4 }, (_, n) => state.openTurn(`loop ${n}`, true, 0))
    for (let n = 0; n < 40; n += 1) state.answered(state.openTurn(`side ${n}`, true, 0).id)
    expect(loops.map((_, n) => state.openTurn(`loop ${n}`, false, 0))).toEqual(loops)
    for (let n = 0; n < 16; n += 1) state.openTurn(`other ${n}`, true, 0)
    expect(state.openTurn('loop 3', false, 0)).not.toBe(loops[3])
  })

  it('expire after half an hour, except for the calls of a loop', () => {
    const state = new SessionState()
    const turn = state.openTurn('q', true, 0)
    expect(state.openTurn('q', true, 1_800_000)).toBe(turn)
    expect(state.openTurn('q', false, 9_000_000)).toBe(turn)
    expect(state.openTurn('q', true, 10_800_001)).not.toBe(turn)
  })

  it('are limited to fewer if their advice is long, but never to none', () => {
    const state = new SessionState()
    const [first, second] = [advised(state, '1', 5_000_000), advised(state, '2', 5_000_000)]
    expect(state.openTurn('2', false, 0)).toBe(second)
    expect(state.openTurn('1', false, 0)).not.toBe(first)
    const large = advised(state, '3', 20_000_000)
    expect(state.openTurn('3', false, 0).fanOuts.size).toBe(1)
    for (const key of ['a', 'b']) {
      const fanOut = { ran: Promise.resolve([]), size: 0 }
      state.keepFanOut(large, key, fanOut)
      state.sized(fanOut, [{ label: 'a', text: 'x'.repeat(6_000_000) }])
    }
    expect([...state.openTurn('3', false, 0).fanOuts.keys()]).toEqual(['b'])
  })

  it('stay open as long as they continue, whatever is asked in between', () => {
    const state = new SessionState()
    const turn = (id: string) => ({ id, slots: [] }) as unknown as MoaTurn
    const { id } = state.openTurn('loop', true, 0)
    state.grow(turn(id))
    for (let n = 0; n < 100; n += 1) {
      const side = state.openTurn(`side ${n}`, true, 0)
      state.answered(side.id)
      state.grow(turn(side.id))
    }
    expect(state.grown(id)).toMatchObject({ id })
  })
})
