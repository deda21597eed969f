import type { Ledger } from '@panoptes/engine/ledger'
import type { Agent } from '@panoptes/schema'
import { snapshotFrame } from './frames.ts'

export interface Snapshot {
  readonly seq: number
  readonly alive: readonly Agent[]
  readonly frame: string
}

/** Who is alive, and how many more than a frame takes; nothing when the ledger cannot be read. */
export async function readSnapshot(ledger: Ledger, most: number): Promise<Snapshot | undefined> {
  const [alive, count] = await Promise.all([
    ledger.agents({ states: ['working', 'waiting', 'stuck'], limit: most }),
    ledger.aliveCount(),
  ])
  if (!alive.ok || !count.ok) return undefined
  const { seq, value } = alive.value
  // Between the two questions the count may have changed; only a full list can have left anyone out.
  const leftOut = value.length < most ? 0 : count.value - value.length
  return { seq, alive: value, frame: snapshotFrame(seq, value, leftOut) }
}
