import { setTimeout as wait } from 'node:timers/promises'
import { findDaemon, type Paths } from '@panoptes/engine/home'
import { lockStore } from '@panoptes/engine/store'

const AGAIN_MS = 150

/**
 * Waits while another process holds the store. A Panoptes that is starting answers soon, and a command
 * releases the store soon.
 */
export async function waitForOther(paths: Paths, patienceMs: number): Promise<'running' | 'free' | 'held'> {
  const limit = performance.now() + patienceMs
  while (performance.now() < limit) {
    await wait(AGAIN_MS)
    if ((await findDaemon(paths)).state === 'running') return 'running'
    const lock = lockStore(paths.store)
    if (lock.ok) {
      lock.value.release()
      return 'free'
    }
  }
  return 'held'
}
