import { setPriority } from 'node:os'

const LOW = 10

/**
 * Lowers this thread's priority, so that threads that answer people go first. Only Linux supports this for a
 * single thread.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOW)
  } catch {
    // If the system does not allow it, the thread continues at its normal priority.
  }
}
