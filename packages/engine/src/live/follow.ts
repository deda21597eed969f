import { setTimeout as wait } from 'node:timers/promises'
import type { EventRow, Ledger } from '@panoptes/engine/ledger'

const RETRY_MS = 250

/** Hands over every row after a seq as it is stored, until the signal; a ledger that cannot be read is tried again. */
export async function follow(
  ledger: Pick<Ledger, 'subscribe'>,
  after: number,
  see: (row: EventRow) => void,
  signal: AbortSignal,
): Promise<void> {
  let at = after
  while (!signal.aborted) {
    for await (const rows of ledger.subscribe(at, signal)) {
      for (const row of rows) see(row)
      at = rows.at(-1)?.seq ?? at
    }
    if (!signal.aborted) await wait(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}
