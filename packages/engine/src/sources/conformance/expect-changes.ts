import { expect, onTestFinished, vi } from 'vitest'

/** Watches until the test ends and expects a notification for each action. */
export function watching(
  watch: (changed: () => void) => () => void,
  settleMs: number,
): (what: string, work: () => void) => Promise<void> {
  const changed = vi.fn()
  onTestFinished(watch(changed))
  return async (what, work) => {
    // Let the previous change settle, because it may be reported twice.
    await vi.waitFor(async () => {
      changed.mockClear()
      await new Promise((done) => setTimeout(done, settleMs))
      expect(changed).not.toHaveBeenCalled()
    }, 30_000)
    work()
    await vi.waitFor(() => expect(changed, what).toHaveBeenCalled(), { timeout: 30_000, interval: 10 })
  }
}
