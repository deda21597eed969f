import type { MoaTurn } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { type OpenTurn, SessionState, SessionStates } from './session.ts'

describe('session states', () => {
  it('are kept per session and preset', () => {
    const states = new SessionStates()
    expect(states.getOrCreate('s', 'p')).toBe(states.getOrCreate('s', 'p'))
    expect(states.getOrCreate('s', 'p')).not.toBe(states.getOrCreate('s', 'o'))
    expect(states.getOrCreate('s', 'p')).not.toBe(states.getOrCreate('t', 'p'))
  })

  it('are kept for the 500 most recently used', () => {
    const states = new SessionStates()
    const [first, second] = [states.getOrCreate('0', 'p'), states.getOrCreate('1', 'p')]
    for (let n = 2; n < 500; n += 1) states.getOrCreate(String(n), 'p')
    expect(states.getOrCreate('0', 'p')).toBe(first)
    states.getOrCreate('500', 'p')
    expect(states.getOrCreate('0', 'p')).toBe(first)
    expect(states.getOrCreate('1', 'p')).not.toBe(second)
  })

  it('are kept for fewer sessions if their advice is long', () => {
    const states = new SessionStates()
    const names = Array.from({ length: 12 }, (_, n) => String(n))
    const made = names.map((name) => {
      const state = states.getOrCreate(name, 'p')
      advised(state, 'q', 8_000_000)
      return state
    })
    const left = names.filter((name, at) => states.getOrCreate(name, 'p') === made[at])
    expect(left.length).toBeLessThan(9)
    expect(states.getOrCreate('11', 'p')).toBe(made[11])
  })
})

const advised = (state: SessionState, key: string, characters: number): OpenTurn => {
  const turn = state.openTurn(key, true, 0)
  const fanOut = { ran: Promise.resolve([]), size: 0 }
  state.storeFanOut(turn, key, fanOut)
  state.setAdviceSize(fanOut, [{ label: 'a', text: 'x'.repeat(characters) }])
  return turn
}

describe('open turns of a session', () => {
  it('are limited to sixteen, and answered turns are dropped first', () => {
    const state = new SessionState()
    const loops = Array.from({ length: 4 }, (_, n) => state.openTurn(`loop ${n}`, true, 0))
    for (let n = 0; n < 40; n += 1) state.markAnswered(state.openTurn(`side ${n}`, true, 0).id)
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
      state.storeFanOut(large, key, fanOut)
      state.setAdviceSize(fanOut, [{ label: 'a', text: 'x'.repeat(6_000_000) }])
    }
    expect([...state.openTurn('3', false, 0).fanOuts.keys()]).toEqual(['b'])
  })

  it('stay open as long as they continue, whatever is asked in between', () => {
    const state = new SessionState()
    const turn = (id: string) => ({ id, slots: [] }) as unknown as MoaTurn
    const { id } = state.openTurn('loop', true, 0)
    state.storeTurn(turn(id))
    for (let n = 0; n < 100; n += 1) {
      const side = state.openTurn(`side ${n}`, true, 0)
      state.markAnswered(side.id)
      state.storeTurn(turn(side.id))
    }
    expect(state.getStoredTurn(id)).toMatchObject({ id })
  })
})
