import { describe, expect, it } from 'vitest'
import { createBodyBudget } from './request-body.ts'

describe('a body budget', () => {
  it('admits what fits, and the next in line as soon as another one leaves', async () => {
    const budget = createBodyBudget(100, { patienceMs: 10_000, waiting: 10 })
    const first = await budget.enter(60)
    const order: string[] = []
    const second = budget.enter(60).then((leave) => {
      order.push('second')
      return leave
    })
    const third = budget.enter(10).then((leave) => {
      order.push('third')
      return leave
    })
    first?.()
    first?.()
    const leave = await second
    await third
    expect(order).toEqual(['second', 'third'])
    leave?.()
    expect(await budget.enter(90)).toBeTypeOf('function')
  })

  it('reserves half of itself and of its line for other clients', async () => {
    const budget = createBodyBudget(100, { patienceMs: 10_000, waiting: 4 })
    const held = await budget.enter(50, 'greedy')
    const waits = [budget.enter(1, 'greedy'), budget.enter(1, 'greedy')]
    expect(await budget.enter(1, 'greedy')).toBeUndefined()
    expect(await budget.enter(50, 'other')).toBeTypeOf('function')
    held?.()
    for (const one of waits) expect(await one).toBeTypeOf('function')
  })

  it('admits a single body of any client that is larger than half', async () => {
    const budget = createBodyBudget(100, { patienceMs: 10, waiting: 4 })
    expect(await budget.enter(80, 'one')).toBeTypeOf('function')
    expect(await budget.enter(10, 'one')).toBeUndefined()
  })

  it('refuses a body that waits too long, finds a full line, or never fits', async () => {
    const budget = createBodyBudget(100, { patienceMs: 20, waiting: 1 })
    const first = await budget.enter(100)
    const waits = budget.enter(1)
    expect(await budget.enter(1)).toBeUndefined()
    expect(await waits).toBeUndefined()
    expect(await budget.enter(101)).toBeUndefined()
    first?.()
    expect(await budget.enter(100)).toBeTypeOf('function')
  })
})
