import { setTimeout as wait } from 'node:timers/promises'
import { findDaemon, type Paths } from '@panoptes/engine/home'
import { lockLedger } from '@panoptes/engine/ledger'

const AGAIN_MS = 150

/** The ledger is held by another process: a Panoptes that is just starting answers soon, a command soon lets go of it. */
export async function waitForOther(paths: Paths, patienceMs: number): Promise<'running' | 'free' | 'held'> {
  const limit = performance.now() + patienceMs
  while (performance.now() < limit) {
    await wait(AGAIN_MS)
    if ((await findDaemon(paths)).state === 'running') return 'running'
    const lock = lockLedger(paths.ledger)
    if (lock.ok) {
      lock.value.release()
      return 'free'
    }
  }
  return 'held'
}
