import type { Where } from './asking.ts'
import { firstDayFrom } from './days.ts'
import { allOf, hasSpan, type Span } from './where.ts'

/** Whole days of this computer's clock: those that begin within the span. */
export const costDays = ({
  since,
  until,
}: Span): { readonly from: string; readonly to: string | undefined } => ({
  from: since === undefined ? '' : firstDayFrom(since),
  to: until === undefined ? undefined : firstDayFrom(until),
})

/** Without a span the sum over all days is there, unless each day is asked for. */
export function daysIn(span: Span, eachDay = false): Where {
  if (!hasSpan(span) && !eachDay) return { sql: "day = ''", values: [] }
  const { from, to } = costDays(span)
  return allOf(
    from === '' ? { sql: "day > ''", values: [] } : { sql: 'day >= ?', values: [from] },
    ...(to === undefined ? [] : [{ sql: 'day < ?', values: [to] }]),
  )
}

/** A session counts on its first day in the span. */
export const firstDay = (span: Span): Where => ({
  sql: "(prev = '' OR prev < ?)",
  values: [costDays(span).from],
})
