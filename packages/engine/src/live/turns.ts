import { setImmediate } from 'node:timers/promises'

const TURN_MS = 4

/**
 * Long-running work calls this between two steps. It yields the thread when the work has held it for long
 * enough.
 */
export function createTurns(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => (performance.now() - began < TURN_MS ? undefined : pause())

  async function pause(): Promise<void> {
    await setImmediate()
    began = performance.now()
  }
}
