import { type Share, wilson, Z } from '@panoptes/engine/intervals'

/** What two groups of sessions differ by, and within which bounds chance leaves it in 95 of 100 cases. */
export interface Difference {
  readonly with: number
  readonly without: number
  readonly difference: number
  readonly low: number
  readonly high: number
}

/** The difference of two means, where neither the spread nor the size of the groups need be the same (Welch). Each has two values at least. */
export function welch(withIt: readonly number[], without: readonly number[]): Difference {
  const [a, b] = [spreadOf(withIt), spreadOf(without)]
  const difference = a.mean - b.mean
  const width = halfWidth(a, b)
  return { with: a.mean, without: b.mean, difference, low: difference - width, high: difference + width }
}

interface Spread {
  readonly mean: number
  /** The square of the error of the mean. */
  readonly error: number
  readonly free: number
}

function spreadOf(values: readonly number[]): Spread {
  const count = values.length
  // From the first value on, so that the mean of equal values is that value and their spread is 0.
  const [first = 0] = values
  const mean = first + values.reduce((sum, value) => sum + (value - first), 0) / count
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const free = Math.max(1, count - 1)
  return { mean, error: squares / free / count, free }
}

function halfWidth(a: Spread, b: Spread): number {
  const error = a.error + b.error
  if (error === 0) return 0
  const free = 1 / ((a.error / error) ** 2 / a.free + (b.error / error) ** 2 / b.free)
  return tOf(free) * Math.sqrt(error)
}

/**
 * Between plus and minus this lie 95 % of Student's distribution: the expansion of Fisher and Cornish (Abramowitz and Stegun, 26.7.5).
 * From 9 degrees of freedom on, which ten sessions on each side have, it is right to four decimals.
 */
export function tOf(free: number): number {
  const [z, z3, z5, z7, z9] = [Z, Z ** 3, Z ** 5, Z ** 7, Z ** 9]
  return (
    z +
    (z3 + z) / 4 / free +
    (5 * z5 + 16 * z3 + 3 * z) / 96 / free ** 2 +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / free ** 3 +
    (79 * z9 + 776 * z7 + 1_482 * z5 - 1_920 * z3 - 945 * z) / 92_160 / free ** 4
  )
}

/** The difference of two shares, by the bounds of each of them (Newcombe's hybrid score). Neither group is empty. */
export function newcombe(withIt: Share, without: Share): Difference {
  const [a, b] = [wilson(withIt), wilson(without)]
  const difference = a.share - b.share
  return {
    with: a.share,
    without: b.share,
    difference,
    low: difference - Math.hypot(a.share - a.low, b.high - b.share),
    high: difference + Math.hypot(a.high - a.share, b.share - b.low),
  }
}
