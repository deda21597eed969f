import { tally } from '../tally.ts'
import type { AgentRow } from './row.ts'
import { callBegins, callEnds, previewStart } from './waits.ts'

/**
 * When more calls than this are under way, the oldest count as ended. The same number of their names is
 * remembered.
 */
const MOST_OPEN = 64
const MOST_DROPPED = 192
const MOST_EARLY = 64

interface ToolEvent {
  readonly id?: string | null | undefined
  readonly tool?: string | null | undefined
  readonly ts: number
  readonly input_preview?: string | null | undefined
}

export function startCall(row: AgentRow, event: ToolEvent): void {
  const tool = event.tool ?? 'unknown'
  const { book } = row
  if (event.id && book.early?.includes(event.id)) {
    book.early = book.early.filter((id) => id !== event.id)
    return
  }
  tally(row.tool_counts, tool)
  const call = { id: event.id ?? '', tool, ts: event.ts, about: previewStart(event.input_preview) }
  if (book.waits.length > 0) for (const id of callBegins(row, call)) drop(row, id)
  row.doing = { tool, preview: event.input_preview ?? null, since: event.ts }
  if (!event.id) return
  book.open.push(call)
  if (book.open.length > MOST_OPEN) drop(row, book.open[0]?.id ?? '')
}

/** A call without a reported beginning counts when its end arrives. */
export function finishCall(
  row: AgentRow,
  event: ToolEvent & { readonly ok?: boolean | null | undefined },
): void {
  const { open, dropped, waits } = row.book
  const tool = event.tool ?? 'unknown'
  const at = event.id ? open.findIndex((call) => call.id === event.id) : -1
  if (event.ok === false) fail(row, open[at]?.tool ?? tool)
  if (waits.length > 0) callEnds(row, event.id ?? null, tool, open[at]?.about ?? null)
  if (at >= 0) open.splice(at, 1)
  else if (event.id) {
    const late = dropped.indexOf(event.id)
    if (late >= 0) dropped.splice(late, 1)
    else {
      tally(row.tool_counts, tool)
      row.book.early = [...(row.book.early ?? []), event.id].slice(-MOST_EARLY)
    }
  }
  showNewest(row)
}

/** The call will not run and its end will not be reported. It stays counted. */
export function dropCall(row: AgentRow, id: string): void {
  drop(row, id)
  showNewest(row)
}

function showNewest(row: AgentRow): void {
  const newest = row.book.open.at(-1)
  if (newest === undefined) row.doing = null
  else if (row.doing?.since !== newest.ts || row.doing.tool !== newest.tool)
    row.doing = { tool: newest.tool, preview: newest.about, since: newest.ts }
}

/** The call was announced and never ran, so it is removed from the counts. */
export function takeBack(row: AgentRow, event: ToolEvent): void {
  const { open, dropped } = row.book
  const isRecorded = open.some(({ id }) => id === event.id) || dropped.includes(event.id ?? '')
  if (!event.id || !isRecorded) return
  const tool = open.find(({ id }) => id === event.id)?.tool ?? event.tool ?? 'unknown'
  finishCall(row, event)
  const left = (Object.hasOwn(row.tool_counts, tool) ? (row.tool_counts[tool] ?? 1) : 1) - 1
  if (left > 0) row.tool_counts[tool] = left
  else delete row.tool_counts[tool]
}

/** Nothing is under way any more, whether or not an end was reported. */
export function dropCalls(row: AgentRow): void {
  row.doing = null
  while (row.book.open.length > 0) drop(row, row.book.open[0]?.id ?? '')
}

function drop({ book }: AgentRow, id: string): void {
  const at = book.open.findIndex((call) => call.id === id)
  if (at < 0) return
  book.open.splice(at, 1)
  book.dropped.push(id)
  if (book.dropped.length > MOST_DROPPED) book.dropped.shift()
}

function fail(row: AgentRow, tool: string): void {
  row.errors += 1
  // A row of an older version may only have a total without tool names.
  if (row.tool_errors !== undefined) tally(row.tool_errors, tool)
}
