import { expect, onTestFinished, vi } from 'vitest'
import type { SessionSource } from '../port.ts'

/** Watches a source until the test ends, and expects to be told of what is done. */
export function watching(
  source: SessionSource,
  settleMs = 400,
): (what: string, work: () => void) => Promise<void> {
  const changed = vi.fn()
  onTestFinished(source.watch(changed))
  return async (what, work) => {
    // Let what went before settle: it may be told twice.
    await vi.waitFor(async () => {
      changed.mockClear()
      await new Promise((done) => setTimeout(done, settleMs))
      expect(changed).not.toHaveBeenCalled()
    }, 10_000)
    work()
    await vi.waitFor(() => expect(changed, what).toHaveBeenCalled(), { timeout: 5_000, interval: 20 })
  }
}
