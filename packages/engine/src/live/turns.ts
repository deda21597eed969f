import { setImmediate } from 'node:timers/promises'

const TURN_MS = 4

/** Long work calls it between two steps: others get their turn when it has had the thread for long enough. */
export function createTurns(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => (performance.now() - began < TURN_MS ? undefined : pause())

  async function pause(): Promise<void> {
    await setImmediate()
    began = performance.now()
  }
}
