import { pause } from '@panoptes/engine/abortable'
import type { Hub, Hubs } from './port.ts'

const EVERY_MS = 10_000

/** Reports the hub as alive until the signal aborts. After a database outage it reports again. */
export async function keepBeating(hubs: Hubs, hub: () => Hub, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await hubs.beat(hub())
    await pause(EVERY_MS, signal, { ref: false })
  }
  await hubs.leave(hub().id)
}
