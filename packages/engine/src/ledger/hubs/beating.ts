import { setTimeout } from 'node:timers/promises'
import type { Hub, Hubs } from './port.ts'

const EVERY_MS = 10_000

/** Says that a hub lives for as long as it does. A database that is away for a moment is told when it is back. */
export async function keepBeating(hubs: Hubs, hub: () => Hub, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await hubs.beat(hub())
    await setTimeout(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
  await hubs.leave(hub().id)
}
