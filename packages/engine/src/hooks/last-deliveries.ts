import type { EventStore } from '@panoptes/engine/store'
import { type HookDelivery, heardMark } from '@panoptes/schema'

/** Returns when the last event of an agent arrived by a delivery, in milliseconds, or null when none did. */
export type Heard = (agent: string, delivery: HookDelivery) => number | null

const HOOKED = ['claude-code', 'hermes']
const DELIVERIES: readonly HookDelivery[] = ['spool', 'http']

export const NOTHING_HEARD: Heard = () => null

/**
 * Reads from the store when events arrived through hooks. An unreadable store proves nothing, so it yields no
 * times.
 */
export async function readHeard(store: Pick<EventStore, 'marks'>): Promise<Heard> {
  const names = HOOKED.flatMap((agent) => DELIVERIES.map((delivery) => heardMark(agent, delivery)))
  const marks = await store.marks(names)
  if (!marks.ok) return NOTHING_HEARD
  return (agent, delivery) => {
    const at = Number(marks.value[heardMark(agent, delivery)])
    return Number.isFinite(at) && at > 0 ? at : null
  }
}
