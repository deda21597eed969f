import { expect, it, vi } from 'vitest'
import { createTurns } from './turns.ts'

it('yields the thread repeatedly during long work', async () => {
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

it('does not yield the thread during short work', () => {
  using clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const turn = createTurns()
  clock.mockReturnValue(1_003)
  expect(turn()).toBeUndefined()
})
