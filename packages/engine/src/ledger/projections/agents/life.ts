import type { AgentState } from '@panoptes/schema'
import type { AgentRow } from './row.ts'

/**
 * Whether an agent is alive is counted, not switched: its own word and its caller's word of the same end may come in
 * either order, and the end may even be told before the beginning. Generation n is over when the agent itself or
 * its caller has ended it n times.
 */
const generation = (row: AgentRow): number => Math.max(row.book.starts, 1)

const isOver = (row: AgentRow): boolean =>
  row.book.session_over || generation(row) <= Math.max(row.book.stops, row.book.ended_calls.length)

/** The agent says that it begins. */
export function begin(row: AgentRow): void {
  row.book.starts += 1
  if (row.book.starts > 1) renew(row)
  row.book.mood = 'working'
}

/** A sign of life that only a living agent gives; after its own end it means that it was resumed. */
export function live(row: AgentRow, mood: 'working' | 'waiting' = 'working'): void {
  if (generation(row) <= row.book.stops) {
    row.book.starts = row.book.stops + 1
    renew(row)
  }
  row.book.mood = mood
}

/** The agent says that it ends, or the daemon judges so. */
export function end(row: AgentRow, ts: number): void {
  row.book.stops = generation(row)
  markEnd(row, ts)
}

/** The caller saw its call end. */
export function endCall(row: AgentRow, call: string, ts: number): void {
  if (!row.book.ended_calls.includes(call)) row.book.ended_calls.push(call)
  markEnd(row, ts)
}

export function endSession(row: AgentRow, ts: number): void {
  const wasOver = isOver(row)
  row.book.session_over = true
  if (!wasOver) markEnd(row, ts)
}

/** What is shown follows from what is known. */
export function settle(row: AgentRow): void {
  const over = isOver(row)
  row.state = over ? endState(row) : row.book.mood
  if (over) {
    row.wait_reason = null
    row.doing = null
    return
  }
  row.ended_at = null
  if (row.book.mood !== 'waiting') row.wait_reason = null
}

const endState = (row: AgentRow): AgentState =>
  row.book.failed || row.outcome === 'fail' ? 'failed' : 'done'

function markEnd(row: AgentRow, ts: number): void {
  row.ended_at = Math.min(row.ended_at ?? ts, ts)
}

function renew(row: AgentRow): void {
  row.outcome = null
  row.ended_at = null
  row.book.failed = false
  row.book.session_over = false
}
