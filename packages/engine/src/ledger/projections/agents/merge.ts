import { type AgentRow, MAIN } from './row.ts'
import { mergeStated } from './stated.ts'

type Counts = Record<string, number>

/** One agent that was told of under two names: its own row, with what was told under the other name. */
export function mergeRows(own: AgentRow, other: AgentRow): AgentRow {
  const { book: _book, skill: _skill, claims: _claims, follow_ups: _left, ...shown } = own
  return {
    ...shown,
    parent_id: own.parent_id === MAIN ? other.parent_id : own.parent_id,
    subagent_type: own.subagent_type ?? other.subagent_type,
    model: own.model ?? other.model,
    outcome: own.outcome ?? other.outcome,
    tool_counts: sum(own.tool_counts, other.tool_counts),
    errors: own.errors + other.errors,
    tool_errors: sum(own.tool_errors ?? {}, other.tool_errors ?? {}),
    started_at: Math.min(own.started_at, other.started_at),
    last_at: Math.max(own.last_at, other.last_at),
    prompt_preview: own.prompt_preview ?? other.prompt_preview,
    background: own.background || other.background,
    doing: own.doing ?? other.doing,
    usage:
      own.usage === null || other.usage === null ? (own.usage ?? other.usage) : sum(own.usage, other.usage),
    ...mergeStated(own, other),
    book: {
      ...own.book,
      // Both were told of the same beginnings and ends.
      starts: Math.max(own.book.starts, other.book.starts),
      stops: Math.max(own.book.stops, other.book.stops),
      ended_calls: [...new Set([...own.book.ended_calls, ...other.book.ended_calls])],
      failed: [...new Set([...own.book.failed, ...other.book.failed])],
      open: [...other.book.open, ...own.book.open],
      dropped: [...other.book.dropped, ...own.book.dropped],
      early: [...(other.book.early ?? []), ...(own.book.early ?? [])],
      waits: [...other.book.waits, ...own.book.waits],
    },
  }
}

function sum<C extends Counts>(one: C, other: C): C {
  const total: Counts = { ...one }
  for (const [name, count] of Object.entries(other))
    total[name] = (Object.hasOwn(total, name) ? (total[name] ?? 0) : 0) + count
  return total as C
}
