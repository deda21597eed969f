import { describe, expect, it } from 'vitest'
import { pause, waitForAbort } from './index.ts'

const LONG_MS = 60_000

describe('pause', () => {
  it('resolves after the given time', async () => {
    const began = performance.now()
    await pause(50)
    expect(performance.now() - began).toBeGreaterThan(45)
  })

  it('ends without an error when the signal aborts, even if the process need not wait for it', async () => {
    const stop = new AbortController()
    const paused = pause(LONG_MS, stop.signal, { ref: false })
    stop.abort()
    await expect(paused).resolves.toBeUndefined()
  })

  it('resolves without an error when the signal aborts or already has', async () => {
    const stop = new AbortController()
    const paused = pause(LONG_MS, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(paused).resolves.toBeUndefined()
    await expect(pause(LONG_MS, stop.signal)).resolves.toBeUndefined()
  })
})

it('resolves aborted() once the signal aborts, and at once if it already has', async () => {
  const stop = new AbortController()
  const heard = waitForAbort(stop.signal).then(() => 'aborted')
  expect(await Promise.race([heard, pause(20).then(() => 'waiting')])).toBe('waiting')
  stop.abort()
  await expect(heard).resolves.toBe('aborted')
  await waitForAbort(stop.signal)
})
