import type { EventStore } from '@panoptes/engine/store'
import type { Agent } from '@panoptes/schema'
import { snapshotFrame } from './frames.ts'

export interface Snapshot {
  readonly seq: number
  readonly alive: readonly Agent[]
  readonly frame: string
}

/**
 * Reads the living agents and how many more there are than fit into a frame; undefined if the store cannot be read.
 */
export async function readSnapshot(store: EventStore, most: number): Promise<Snapshot | undefined> {
  const [alive, count] = await Promise.all([
    store.agents({ states: ['working', 'waiting', 'stuck'], limit: most }),
    store.aliveCount(),
  ])
  if (!alive.ok || !count.ok) return undefined
  const { seq, value } = alive.value
  // The count may change between the two reads; agents can be missing only from a full list.
  const leftOut = value.length < most ? 0 : count.value - value.length
  return { seq, alive: value, frame: snapshotFrame(seq, value, leftOut) }
}
