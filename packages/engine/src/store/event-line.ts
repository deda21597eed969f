import type { NewEvent } from '@panoptes/schema'

/** Drops a `seq` from elsewhere, because only the store numbers events. */
export const serializeEvent = (event: NewEvent): string =>
  JSON.stringify('seq' in event ? { ...event, seq: undefined } : event)
