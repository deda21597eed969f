import { setTimeout as wait } from 'node:timers/promises'
import type { EventRow, EventStore } from '@panoptes/engine/store'

const RETRY_MS = 250

/**
 * Passes on every row after a seq as it is stored, until the signal aborts. It retries when the store cannot
 * be read.
 */
export async function follow(
  store: Pick<EventStore, 'subscribe'>,
  after: number,
  see: (row: EventRow) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = after
  while (!signal.aborted) {
    for await (const rows of store.subscribe(at, signal)) {
      for (const row of rows) see(row)
      at = rows.at(-1)?.seq ?? at
    }
    if (!signal.aborted) await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
