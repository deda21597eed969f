import type { StoredEvent } from '@panoptes/schema'
import type { AgentRow, SessionRow } from './row.ts'

/** A span is told when it is over, and the parts of a thing before the whole. */
const isSpan = (event: StoredEvent): boolean => event.via === 'otlp'

/**
 * What an agent wrote down is read a moment later than its hooks tell it, or much later where nobody listened. So it revives nobody who
 * has ended since, ends nobody who was resumed since, and opens no session that is over since.
 */
export const isWritten = (event: StoredEvent): boolean => event.via === 'transcript' || isSpan(event)

export const isBeforeEnd = (row: AgentRow, event: StoredEvent): boolean =>
  isWritten(event) &&
  !row.book.unasked &&
  row.ended_at !== null &&
  (event.ts < row.ended_at || (isSpan(event) && event.ts === row.ended_at))

/** A hook may be heard of some seconds after what it tells was written down. */
const LEEWAY_MS = 5_000

export const isBeforeResumed = (row: AgentRow, event: StoredEvent): boolean =>
  isWritten(event) && event.ts < (row.book.renewed ?? Number.NEGATIVE_INFINITY) - LEEWAY_MS

export const isBeforeOver = (session: SessionRow, event: StoredEvent): boolean =>
  isWritten(event) && event.ts < (session.over_at ?? Number.NEGATIVE_INFINITY)
