import { expect, it, vi } from 'vitest'
import { createTurns } from './turns.ts'

it('gives way again and again to whoever else has work', async () => {
  const turn = createTurns()
  let others = 0
  let over = false
  const other = () => {
    others += 1
    if (!over) setImmediate(other)
  }
  setImmediate(other)
  for (const end = performance.now() + 10_000; others < 3 && performance.now() < end; ) await turn()
  over = true
  expect(others).toBe(3)
})

it('asks for no pause while the work is short', () => {
  using clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const turn = createTurns()
  clock.mockReturnValue(1_003)
  expect(turn()).toBeUndefined()
})
