import { expect, it } from 'vitest'
import { createStartGate } from './http-server.ts'

const LONG = 60_000

it('holds requests until the server can answer them', async () => {
  const gate = createStartGate({ waitMs: LONG, waiting: 2 })
  const order: string[] = []
  const waits = [gate.wait(), gate.wait()].map((wait) => wait.then(() => order.push('answered')))
  order.push('opened')
  gate.open()
  await Promise.all(waits)
  expect(order).toEqual(['opened', 'answered', 'answered'])
  await gate.wait()
})

it('releases a request after the time limit', async () => {
  const gate = createStartGate({ waitMs: 1, waiting: 1 })
  await gate.wait()
})

it('holds at most as many requests as its limit', async () => {
  const gate = createStartGate({ waitMs: LONG, waiting: 1 })
  const first = gate.wait()
  await gate.wait()
  gate.open()
  await first
})
