import { describe, expect, it } from 'vitest'
import { createRoom } from './room.ts'

describe('room', () => {
  it('lets in what fits, and the next in line as soon as another leaves', async () => {
    const room = createRoom(100, { patienceMs: 10_000, waiting: 10 })
    const first = await room.enter(60)
    const order: string[] = []
    const second = room.enter(60).then((leave) => {
      order.push('second')
      return leave
    })
    const third = room.enter(10).then((leave) => {
      order.push('third')
      return leave
    })
    first?.()
    first?.()
    const leave = await second
    await third
    expect(order).toEqual(['second', 'third'])
    leave?.()
    expect(await room.enter(90)).toBeTypeOf('function')
  })

  it('leaves half of itself and of its line to others, whoever fills the rest', async () => {
    const room = createRoom(100, { patienceMs: 10_000, waiting: 4 })
    const held = await room.enter(50, 'greedy')
    const waits = [room.enter(1, 'greedy'), room.enter(1, 'greedy')]
    expect(await room.enter(1, 'greedy')).toBeUndefined()
    expect(await room.enter(50, 'other')).toBeTypeOf('function')
    held?.()
    for (const one of waits) expect(await one).toBeTypeOf('function')
  })

  it('takes one body of anybody that is larger than half', async () => {
    const room = createRoom(100, { patienceMs: 10, waiting: 4 })
    expect(await room.enter(80, 'one')).toBeTypeOf('function')
    expect(await room.enter(10, 'one')).toBeUndefined()
  })

  it('turns away what waits too long, who comes to a full line, and what never fits', async () => {
    const room = createRoom(100, { patienceMs: 20, waiting: 1 })
    const first = await room.enter(100)
    const waits = room.enter(1)
    expect(await room.enter(1)).toBeUndefined()
    expect(await waits).toBeUndefined()
    expect(await room.enter(101)).toBeUndefined()
    first?.()
    expect(await room.enter(100)).toBeTypeOf('function')
  })
})
