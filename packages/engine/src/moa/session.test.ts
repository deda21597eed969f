import type { MoaTurn } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { type OpenTurn, SessionState, SessionStates } from './session.ts'

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
  const turn = state.turnOf(key, true, 0)
  const fanOut = { ran: Promise.resolve([]), size: 0 }
  state.keepFanOut(turn, key, fanOut)
  state.sized(fanOut, [{ label: 'a', text: 'x'.repeat(characters) }])
  return turn
}

describe('the turns of a session that may go on', () => {
  it('are sixteen; those that were answered go first', () => {
    const state = new SessionState()
    const loops = Array.from({ length: 4 }, (_, n) => state.turnOf(`loop ${n}`, true, 0))
    for (let n = 0; n < 40; n += 1) state.answered(state.turnOf(`side ${n}`, true, 0).id)
    expect(loops.map((_, n) => state.turnOf(`loop ${n}`, false, 0))).toEqual(loops)
    for (let n = 0; n < 16; n += 1) state.turnOf(`other ${n}`, true, 0)
    expect(state.turnOf('loop 3', false, 0)).not.toBe(loops[3])
  })

  it('are asked anew half an hour later, but for the calls of a loop', () => {
    const state = new SessionState()
    const turn = state.turnOf('q', true, 0)
    expect(state.turnOf('q', true, 1_800_000)).toBe(turn)
    expect(state.turnOf('q', false, 9_000_000)).toBe(turn)
    expect(state.turnOf('q', true, 10_800_001)).not.toBe(turn)
  })

  it('are fewer where their advice is long, but never none', () => {
    const state = new SessionState()
    const [first, second] = [advised(state, '1', 5_000_000), advised(state, '2', 5_000_000)]
    expect(state.turnOf('2', false, 0)).toBe(second)
    expect(state.turnOf('1', false, 0)).not.toBe(first)
    const large = advised(state, '3', 20_000_000)
    expect(state.turnOf('3', false, 0).fanOuts.size).toBe(1)
    for (const key of ['a', 'b']) {
      const fanOut = { ran: Promise.resolve([]), size: 0 }
      state.keepFanOut(large, key, fanOut)
      state.sized(fanOut, [{ label: 'a', text: 'x'.repeat(6_000_000) }])
    }
    expect([...state.turnOf('3', false, 0).fanOuts.keys()]).toEqual(['b'])
  })

  it('are added to as long as they go on, however much is asked between', () => {
    const state = new SessionState()
    const turn = (id: string) => ({ id, slots: [] }) as unknown as MoaTurn
    const { id } = state.turnOf('loop', true, 0)
    state.grow(turn(id))
    for (let n = 0; n < 100; n += 1) {
      const side = state.turnOf(`side ${n}`, true, 0)
      state.answered(side.id)
      state.grow(turn(side.id))
    }
    expect(state.grown(id)).toMatchObject({ id })
  })
})
