import { firstDayFrom } from './days.ts'
import type { Where } from './dialect.ts'
import { and, hasSpan, type Span } from './where-clause.ts'

/** Whole days in this computer's time zone that begin within the span. */
export const costDays = ({
  since,
  until,
}: Span): { readonly from: string; readonly to: string | undefined } => ({
  from: since === undefined ? '' : firstDayFrom(since),
  to: until === undefined ? undefined : firstDayFrom(until),
})

/** Without a span the sum over all days is used, unless the query asks for each day. */
export function daysIn(span: Span, eachDay = false): Where {
  if (!hasSpan(span) && !eachDay) return { sql: "day = ''", values: [] }
  const { from, to } = costDays(span)
  return and(
    from === '' ? { sql: "day > ''", values: [] } : { sql: 'day >= ?', values: [from] },
    ...(to === undefined ? [] : [{ sql: 'day < ?', values: [to] }]),
  )
}

/** Counts a session on its first day within the span. */
export const firstDay = (span: Span): Where => ({
  sql: "(prev = '' OR prev < ?)",
  values: [costDays(span).from],
})
