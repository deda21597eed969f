import { setTimeout as delay } from 'node:timers/promises'

/** Waits for a promise, but no longer than this. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController()
  const late = delay(Math.max(0, ms), undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([work, late])
  over.abort()
}
