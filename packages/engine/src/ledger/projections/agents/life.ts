import type { AgentState } from '@panoptes/schema'
import type { AgentRow } from './row.ts'
import { closeScope } from './stated.ts'
import { dropCalls } from './tools.ts'
import { endWaits, isIdle, waitsSince } from './waits.ts'

/**
 * Whether an agent is alive is counted, not switched: its own word and its caller's word of the same end may come in
 * either order, and the end may even be told before the beginning. Generation n is over when the agent itself or
 * its caller has ended it n times.
 */
const generation = (row: AgentRow): number => Math.max(row.book.starts, 1)

const isOver = ({ book }: AgentRow): boolean => {
  if (book.session_over) return true
  if (!book.unasked && Math.max(book.starts, 1) > Math.max(book.stops, book.ended_calls.length)) return false
  return !book.waits.some(isIdle)
}

/** The agent says that it begins; `open` is whether its session goes on. */
export function begin(row: AgentRow, open: boolean, ts: number): void {
  if (row.book.session_over && open) live(row, open, ts)
  else {
    row.book.starts += 1
    if (row.book.starts > 1) renew(row, ts)
    seen(row)
  }
}

/** A sign of life that only a living agent gives; after its own end, or that of its session, it means that it was resumed. */
export function live(row: AgentRow, open: boolean, ts: number): void {
  const { book } = row
  if (generation(row) <= book.stops || book.unasked || (book.session_over && open)) {
    book.starts = Math.max(book.starts, book.stops) + 1
    renew(row, ts)
  }
  seen(row)
}

/** A sign of life that may come late: it revives nobody. */
export function seen(row: AgentRow): void {
  row.book.unasked = false
  row.book.stuck = false
}

/** It waits for its next prompt: nothing is under way, and what came of its turn stays. */
export function rest(row: AgentRow, open: boolean): void {
  const { book } = row
  book.stuck = false
  dropCalls(row)
  if (!book.session_over || !open) return
  book.session_over = false
  book.unasked = true
}

/** The agent says that it ends, or the daemon judges so. */
export function end(row: AgentRow, ts: number, failed = false): void {
  if (failed) noteFailure(row, generation(row))
  if (row.book.unasked) row.ended_at = null
  seen(row)
  finish(row, ts)
  markEnd(row, ts)
}

/** A failure that the client wrote down may be read only after the session was over, which said nothing of it. */
export function failLate(row: AgentRow, ts: number): void {
  if (ts >= (row.book.renewed ?? Number.NEGATIVE_INFINITY)) noteFailure(row, generation(row))
}

/** The caller saw its call end. */
export function endCall(row: AgentRow, call: string, ts: number, failed = false): void {
  const { ended_calls: ended } = row.book
  if (!ended.includes(call)) ended.push(call)
  if (failed) noteFailure(row, ended.indexOf(call) + 1)
  markEnd(row, ts)
}

function noteFailure({ book }: AgentRow, generation: number): void {
  if (!book.failed.includes(generation)) book.failed.push(generation)
}

export function endSession(row: AgentRow, ts: number): void {
  const wasOver = isOver(row)
  row.book.session_over = true
  finish(row, Number.POSITIVE_INFINITY)
  if (!wasOver) markEnd(row, ts)
}

/** Its session ended and was opened again: what was counted then is over, and it is until it gives a sign of life. */
export function leaveBehind({ book }: AgentRow, era: number): void {
  book.era = era
  book.session_over = true
  book.starts = 0
  book.stops = 0
  book.ended_calls = []
  book.failed = []
  book.waits = []
}

/** What is shown follows from what is known. */
export function settle(row: AgentRow): void {
  const { book } = row
  if (isOver(row)) {
    closeScope(row)
    row.state = endState(row)
    row.wait_reason = null
    row.wait_since = null
    row.doing = null
    row.ended_at ??= row.last_at
    return
  }
  row.state = book.waits.length > 0 ? 'waiting' : book.stuck ? 'stuck' : 'working'
  row.wait_reason = book.waits.at(-1)?.reason ?? null
  row.wait_since = waitsSince(row)
  row.ended_at = null
}

const endState = (row: AgentRow): AgentState =>
  row.book.failed.includes(generation(row)) || row.outcome === 'fail' ? 'failed' : 'done'

function finish(row: AgentRow, ts: number): void {
  row.book.stops = generation(row)
  endWaits(row, ts)
  dropCalls(row)
}

function markEnd(row: AgentRow, ts: number): void {
  row.ended_at = Math.min(row.ended_at ?? ts, ts)
}

function renew(row: AgentRow, ts: number): void {
  row.book.renewed = ts
  row.outcome = null
  row.ended_at = null
  row.book.failed = row.book.failed.filter((each) => each >= generation(row))
  row.book.guess = null
  row.book.session_over = false
  endWaits(row, ts)
  dropCalls(row)
}
