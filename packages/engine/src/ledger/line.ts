import type { NewEvent } from '@panoptes/schema'

/** Only the ledger numbers events: a `seq` from elsewhere is left out. */
export const lineOf = (event: NewEvent): string =>
  JSON.stringify('seq' in event ? { ...event, seq: undefined } : event)
