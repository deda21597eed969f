import { tally } from '../tally.ts'
import type { AgentRow } from './row.ts'

/** More calls than this under way at once, and the oldest are taken for ended. */
const MOST_OPEN = 64

interface ToolEvent {
  readonly id?: string | null | undefined
  readonly tool?: string | null | undefined
  readonly ts: number
  readonly input_preview?: string | null | undefined
}

export function startCall(row: AgentRow, event: ToolEvent): void {
  const tool = event.tool ?? 'unknown'
  tally(row.tool_counts, tool)
  row.doing = { tool, preview: event.input_preview ?? null, since: event.ts }
  if (!event.id) return
  row.book.open.push({ id: event.id, tool, ts: event.ts })
  if (row.book.open.length > MOST_OPEN) row.book.open.shift()
}

function fail(row: AgentRow, tool: string): void {
  row.errors += 1
  // A row of an older version may know only how many there were.
  if (row.tool_errors !== undefined) tally(row.tool_errors, tool)
}

/** A call whose beginning nobody told counts when its end is told. */
export function finishCall(
  row: AgentRow,
  event: ToolEvent & { readonly ok?: boolean | null | undefined },
): void {
  const { open } = row.book
  const at = event.id ? open.findIndex((call) => call.id === event.id) : -1
  if (event.ok === false) fail(row, open[at]?.tool ?? event.tool ?? 'unknown')
  if (at >= 0) open.splice(at, 1)
  else if (event.id) tally(row.tool_counts, event.tool ?? 'unknown')
  const newest = open.at(-1)
  if (newest === undefined) row.doing = null
  else if (row.doing?.since !== newest.ts) row.doing = { tool: newest.tool, preview: null, since: newest.ts }
}
