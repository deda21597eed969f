import type { StoredEvent } from '@panoptes/schema'
import type { AgentRow, SessionRow } from './row.ts'

/** A span is reported when it is over, so the parts of an operation come before the whole. */
const isSpan = (event: StoredEvent): boolean => event.via === 'otlp'

/**
 * A transcript is read shortly after its hooks report, or much later when Panoptes was not running. So such
 * an event revives no agent that has ended since, ends no agent that was resumed since, and reopens no
 * session that has ended since.
 */
export const isWritten = (event: StoredEvent): boolean => event.via === 'transcript' || isSpan(event)

export const isBeforeEnd = (row: AgentRow, event: StoredEvent): boolean =>
  isWritten(event) &&
  !row.book.unasked &&
  row.ended_at !== null &&
  (event.ts < (row.lost_at ?? row.ended_at) || (isSpan(event) && event.ts === row.ended_at))

/** A hook may arrive some seconds after the transcript recorded the same event. */
const LEEWAY_MS = 5_000

export const isBeforeResumed = (row: AgentRow, event: StoredEvent): boolean =>
  isWritten(event) &&
  (event.ts < (row.book.renewed ?? Number.NEGATIVE_INFINITY) - LEEWAY_MS || isOfPromptBefore(row, event))

/** Only the transcript reports an interrupted turn, possibly after the next prompt was already received. */
const isOfPromptBefore = ({ book: { prompt } }: AgentRow, { ts, prompt_id: id }: StoredEvent): boolean =>
  prompt !== undefined &&
  ts < prompt.ts &&
  (typeof id === 'string' && prompt.id !== null ? id !== prompt.id : ts < prompt.ts - LEEWAY_MS)

export const isBeforeOver = (session: SessionRow, event: StoredEvent): boolean =>
  isWritten(event) && event.ts < (session.over_at ?? Number.NEGATIVE_INFINITY)
