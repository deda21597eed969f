import { words } from '../../words.ts'

export type SpanName = 'quarter' | 'hour' | 'six' | 'day' | 'week'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const SPANS: Readonly<Record<SpanName, number>> = {
  quarter: 15 * MINUTE,
  hour: HOUR,
  six: 6 * HOUR,
  day: 24 * HOUR,
  week: 7 * 24 * HOUR,
}

export const spanChoices = (Object.keys(SPANS) as SpanName[]).map((value) => ({
  value,
  label: words.live.scrubber.spans[value],
}))

const STEPS = [
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
]

/** Round moments within a time range, at most `most` of them. */
export function buildTicks(from: number, to: number, most: number): readonly number[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? 24 * HOUR
  const zone = new Date(from).getTimezoneOffset() * MINUTE
  const first = Math.ceil((from - zone) / step) * step + zone
  const ticks: number[] = []
  for (let at = first; at <= to; at += step) ticks.push(at)
  return ticks
}
