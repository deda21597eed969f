import { setTimeout } from 'node:timers/promises'

/**
 * Waits until the time is over or the signal aborts, and never rejects. With `ref: false` the wait does not keep the
 * process running.
 */
export async function pause(ms: number, signal?: AbortSignal, { ref = true } = {}): Promise<void> {
  await setTimeout(ms, undefined, { signal, ref }).catch(() => undefined)
}

/** Resolves when the signal aborts, and at once where it already has. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
