import { clamp } from '@panoptes/schema/numbers'

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const first = rough / power
  return power * (first <= 1 ? 1 : first <= 2 ? 2 : first <= 5 ? 5 : 10)
}

/** Round values from zero to at least the maximum, about as many as requested. */
export function ticksUpTo(most: number, about: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0]
  const step = niceStep(most / Math.max(1, about))
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}

export interface LogScale {
  readonly low: number
  readonly high: number
  /** The position of a value from 0 to 1, clamped to the ends. */
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

const MOST_TICKS = 5

/** One scale for both axes, so that exact estimates lie on the diagonal. `marks` are its round values. */
export function logScale(values: readonly number[], marks: readonly number[]): LogScale | null {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value))
  if (positive.length === 0) return null
  const [least, most] = positive.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [
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
    at: (value) => clamp(value <= 0 ? 0 : Math.log(value / low) / width, 0, 1),
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
