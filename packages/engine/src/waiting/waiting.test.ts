import { describe, expect, it } from 'vitest'
import { aborted, pause } from './index.ts'

const LONG_MS = 60_000

describe('a pause', () => {
  it('lasts its time', async () => {
    const began = performance.now()
    await pause(50)
    expect(performance.now() - began).toBeGreaterThan(45)
  })

  it('ends, and without an error, when the signal aborts, or did before', async () => {
    const stop = new AbortController()
    const paused = pause(LONG_MS, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(paused).resolves.toBeUndefined()
    await expect(pause(LONG_MS, stop.signal)).resolves.toBeUndefined()
  })
})

it('who waits for a signal hears of it once it aborts, or at once where it did before', async () => {
  const stop = new AbortController()
  const heard = aborted(stop.signal).then(() => 'aborted')
  expect(await Promise.race([heard, pause(20).then(() => 'waiting')])).toBe('waiting')
  stop.abort()
  await expect(heard).resolves.toBe('aborted')
  await aborted(stop.signal)
})
