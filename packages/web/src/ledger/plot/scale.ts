/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const first = rough / power
  return power * (first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10)
}

/** Round values from nothing to what is at least the most, about as many as asked for. */
export function ticksUpTo(most: number, about: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0]
  const step = niceStep(most / Math.max(1, about))
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

export interface LogScale {
  readonly low: number
  readonly high: number
  /** Where a value stands, from 0 to 1; what is beyond the ends stands at them. */
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

const MOST_TICKS = 5

/** One scale for both sides of a comparison, so that what came as said lies on the diagonal. `marks` are its round values. */
export function logScale(values: readonly number[], marks: readonly number[]): LogScale | null {
  const known = values.filter((value) => value > 0 && Number.isFinite(value))
  if (known.length === 0) return null
  const [least, most] = known.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [
    Number.POSITIVE_INFINITY,
    0,
  ] as readonly [number, number])
  const low = marks.findLast((mark) => mark <= least) ?? least
  const above = marks.find((mark) => mark >= most && mark > low)
  const high = above ?? Math.max(most, low * 10)
  const width = Math.log(high / low)
  const inside = marks.filter((mark) => mark >= low && mark <= high)
  const every = Math.ceil(inside.length / MOST_TICKS)
  return {
    low,
    high,
    at: (value) => Math.min(1, Math.max(0, value <= 0 ? 0 : Math.log(value / low) / width)),
    ticks: inside.filter((_, i) => i % every === 0),
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Round durations, in milliseconds. */
export const TIMES: readonly number[] = [
  ...[1, 10, 100],
  ...[SECOND, 10 * SECOND],
  ...[MINUTE, 10 * MINUTE],
  ...[HOUR, 10 * HOUR],
  ...[4 * DAY, 40 * DAY, 400 * DAY],
]

/** Powers of ten. */
export const TENS: readonly number[] = Array.from({ length: 16 }, (_, i) => 10 ** i)
