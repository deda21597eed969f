import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { createLoopDelay, type LoopDelay } from './loop-delay.ts'

const UNREAD_MS = 300_000
let delay: LoopDelay
afterEach(() => {
  delay.stop()
  vi.useRealTimers()
})

it('measures from the first reading on, until nobody reads it for a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  delay = createLoopDelay()
  expect(delay.readP99()).toBeUndefined()
  await vi.waitFor(async () => {
    await wait(20)
    expect(delay.readP99()).toBeGreaterThan(0)
  })
  vi.advanceTimersByTime(UNREAD_MS)
  expect(delay.readP99()).toBeUndefined()
})
