import { setTimeout as wait } from 'node:timers/promises'
import { findDaemon, type Paths } from '@panoptes/engine/home'

const PATIENCE_MS = 15_000

/** The ledger is held by another process: it may be a Panoptes that is just starting. */
export async function waitForOther(paths: Paths, patienceMs = PATIENCE_MS): Promise<boolean> {
  const limit = performance.now() + patienceMs
  while (performance.now() < limit) {
    if ((await findDaemon(paths)).state === 'running') return true
    await wait(150)
  }
  return false
}
