import type { AgentState } from '@panoptes/schema'
import { closeScope } from './markers.ts'
import { type AgentRow, MAIN } from './row.ts'
import { dropCalls } from './tools.ts'
import { endWaits, isIdle, waitsSince } from './waits.ts'

/**
 * Whether an agent is alive is counted, not switched. Its own report and its caller's report of the same end
 * may come in either order, and the end may even arrive before the beginning. Generation n is over when the
 * agent itself or its caller has ended it n times.
 */
const generation = (row: AgentRow): number => Math.max(row.book.starts, 1)

const isOver = ({ book }: AgentRow): boolean => {
  if (book.session_over) return true
  if (!book.unasked && Math.max(book.starts, 1) > Math.max(book.stops, book.ended_calls.length)) return false
  return !book.waits.some(isIdle)
}

/** The agent reports that it begins. `open` tells whether its session goes on. */
export function begin(row: AgentRow, open: boolean, ts: number): void {
  if (row.book.session_over && open) live(row, open, ts)
  else {
    row.book.starts += 1
    if (row.book.starts > 1) renew(row, ts)
    clearStuck(row)
  }
}

/**
 * A sign of life that only a living agent gives. After its own end, or that of its session, it means that the
 * agent was resumed.
 */
export function live(row: AgentRow, open: boolean, ts: number): void {
  const { book } = row
  if (generation(row) <= book.stops || book.unasked || (book.session_over && open)) {
    book.starts = Math.max(book.starts, book.stops) + 1
    renew(row, ts)
  }
  clearStuck(row)
}

/** A sign of life that may arrive late, so it revives nobody. */
export function clearStuck(row: AgentRow): void {
  row.book.unasked = false
  row.book.stuck = false
}

/** The agent waits for its next prompt: nothing is under way, and the outcome of its turn stays. */
export function startResting(row: AgentRow, open: boolean, ts: number): void {
  const { book } = row
  noteEnd(row, ts)
  book.stuck = false
  dropCalls(row)
  if (!book.session_over || !open) return
  book.session_over = false
  book.unasked = true
}

/** Records the latest outcome. A late report about an earlier part of the agent's life changes nothing. */
export function noteOutcome(row: AgentRow, outcome: AgentRow['outcome'], ts: number): void {
  const { book } = row
  if (outcome === null || ts < Math.max(book.outcome_at ?? ts, book.renewed ?? ts)) return
  row.outcome = outcome
  book.outcome_at = ts
}

/**
 * The agent was silent for so long that it counts as lost. It ended with its last sign of life, not when it
 * was judged lost, and its outcome is unknown unless it was between two turns.
 */
export function markLost(row: AgentRow, ts: number): void {
  const { book } = row
  if (isOver(row)) return
  const isBetweenTurns = book.rested === true || (book.waits.length > 0 && book.waits.every(isIdle))
  clearStuck(row)
  finish(row, Number.POSITIVE_INFINITY)
  markEnd(row, row.last_at)
  row.lost_at = ts
  if (!isBetweenTurns) row.outcome = 'lost'
}

/** The agent finished a turn but left work in the background. */
export function restWithBackgroundWork(row: AgentRow, ts: number): void {
  noteEnd(row, ts)
  row.book.rested = true
  dropCalls(row)
}

/** The agent reports that it ends. */
export function end(row: AgentRow, ts: number, failed = false): void {
  undoCut(row)
  if (failed) noteFailure(row, generation(row))
  if (row.book.unasked) row.ended_at = null
  clearStuck(row)
  finish(row, ts)
  markEnd(row, ts)
}

/**
 * A failure from a transcript may be read only after the session was over, which itself reported no failure.
 */
export function failLate(row: AgentRow, ts: number): void {
  if (ts >= (row.book.renewed ?? Number.NEGATIVE_INFINITY)) noteFailure(row, generation(row))
}

/** The caller saw its call end. */
export function endCall(row: AgentRow, call: string, ts: number, failed = false): void {
  const { ended_calls: ended } = row.book
  if (!ended.includes(call)) ended.push(call)
  noteEnd(row, ts)
  undoCut(row)
  if (failed) noteFailure(row, ended.indexOf(call) + 1)
  markEnd(row, ts)
}

function noteFailure({ book }: AgentRow, generation: number): void {
  if (!book.failed.includes(generation)) book.failed.push(generation)
}

/** The agent begins or calls something. */
export function noteActivity({ book }: AgentRow, ts: number): void {
  book.active_at = Math.max(book.active_at ?? ts, ts)
}

/** An end of the agent's work, or of its turn, is reported. */
export function noteEnd({ book }: AgentRow, ts: number): void {
  book.done_at = Math.max(book.done_at ?? ts, ts)
}

/** Their hooks and files report the end of every turn. */
const REPORT_TURNS: ReadonlySet<string> = new Set(['claude-code', 'hermes'])

/**
 * Reports may arrive in any order, so times decide whether the agent was at work when its session ended. If
 * no end of a turn was ever reported, the source may not report any, but a call under way did not end.
 */
function isAtWork({ id, source, started_at, book }: AgentRow): boolean {
  if (book.done_at !== undefined) return (book.active_at ?? started_at) > book.done_at
  return id !== MAIN || book.open.length > 0 || REPORT_TURNS.has(source)
}

/** The agent's session ended. `idle` tells that a person ended it while nothing was under way. */
export function endSession(row: AgentRow, ts: number, idle = false): void {
  const wasOver = isOver(row)
  // Without the hook that ends a turn, only the person's way out shows that the turn was over.
  const isTurnOver = idle && row.id === MAIN && row.book.done_at === undefined && row.book.open.length === 0
  if (!wasOver && isAtWork(row) && !isTurnOver) row.book.cut = true
  row.book.session_over = true
  finish(row, Number.POSITIVE_INFINITY)
  if (!wasOver) markEnd(row, ts)
}

/**
 * The agent's own end, or its caller's report of it, arrived after the session's end: the agent ended on its
 * own.
 */
export function undoCut(row: AgentRow): void {
  if (row.book.cut !== true || isAtWork(row)) return
  delete row.book.cut
  if (row.outcome === 'stopped') row.outcome = null
}

/** A loss is a guess from silence, so an end that is reported replaces it, however late it is read. */
export function undoLost(row: AgentRow): void {
  if (row.outcome !== 'lost' || row.lost_at === undefined) return
  row.outcome = null
  row.lost_at = undefined
  row.ended_at = null
}

/**
 * Its session ended and was reopened. The earlier generations are over, and the agent stays ended until it
 * gives a sign of life.
 */
export function resetForEra({ book }: AgentRow, era: number): void {
  book.era = era
  book.session_over = true
  book.starts = 0
  book.stops = 0
  book.ended_calls = []
  book.failed = []
  book.waits = []
}

/** Derives the visible fields from the recorded ones. */
export function settle(row: AgentRow): void {
  const { book } = row
  if (isOver(row)) {
    closeScope(row)
    if (book.cut === true) row.outcome ??= 'stopped'
    row.state = endState(row)
    row.wait_reason = null
    row.wait_since = null
    row.doing = null
    if (row.lost_at === undefined) row.ended_at ??= row.last_at
    else row.ended_at = row.last_at
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
  delete row.book.cut
  row.lost_at = undefined
  delete row.book.rested
  // A newer outcome may already be known.
  if ((row.book.outcome_at ?? ts) <= ts) row.outcome = null
  row.ended_at = null
  row.book.failed = row.book.failed.filter((each) => each >= generation(row))
  row.book.guess = null
  row.book.session_over = false
  endWaits(row, ts)
  dropCalls(row)
}
