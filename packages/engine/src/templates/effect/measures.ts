import { type Share, wilson, Z } from '@panoptes/engine/statistics'
import type { EffectMeasure, MeasureName, Outcome } from '@panoptes/schema'
import type { SessionWork } from '../session-history.ts'
import { NEEDED, type Sides } from './comparison-groups.ts'
import { sessionKey } from './lookup.ts'

/** How sessions ended, by `source/id`. */
export type Outcomes = ReadonlyMap<string, Outcome | null>

/** All measures, in the order of the report. */
export const computeMeasures = (sides: Sides, outcomes: Outcomes): readonly EffectMeasure[] => [
  ofValues('tool_errors', sides, errorShare, (a, b) => boundDifference(welch(a, b))),
  ofValues('turns', sides, ({ turns }) => turns, welch),
  ofValues('tokens', sides, ({ tokens }) => (tokens ? Math.log(tokens) : null), ratio),
  ofValues('outcome', sides, isFunctional(outcomes), (a, b) => newcombe(toShare(a), toShare(b))),
]

/** There may be more failed results than recorded calls. */
const errorShare = ({ errors, tool_calls: calls }: SessionWork): number => Math.min(1, errors / calls)

const isFunctional =
  (outcomes: Outcomes) =>
  (work: SessionWork): number | null => {
    const outcome = outcomes.get(sessionKey(work)) ?? null
    // Stopped or lost sessions are neither successes nor failures.
    if (outcome === null || outcome === 'stopped' || outcome === 'lost') return null
    return Number(outcome === 'functional')
  }

const toShare = (values: readonly number[]): Share => ({
  hits: values.reduce((sum, value) => sum + value, 0),
  count: values.length,
})

/** Shares differ by at most 1. */
const boundDifference = (found: Difference): Difference => ({
  ...found,
  low: Math.max(-1, found.low),
  high: Math.min(1, found.high),
})

/** A few sessions are very large, so logarithms are compared and no single one decides. */
function ratio(withIt: readonly number[], without: readonly number[]): Difference {
  const found = welch(withIt, without)
  const change = (of: number) => Math.expm1(of)
  return {
    with: Math.exp(found.with),
    without: Math.exp(found.without),
    difference: change(found.difference),
    low: change(found.low),
    high: change(found.high),
  }
}

function ofValues(
  name: MeasureName,
  sides: Sides,
  measure: (work: SessionWork) => number | null,
  compare: (withIt: readonly number[], without: readonly number[]) => Difference,
): EffectMeasure {
  const collectValues = (works: readonly SessionWork[]) =>
    works.map(measure).filter((value) => value !== null)
  const [withIt, without] = [collectValues(sides.with), collectValues(sides.without)]
  const counts = { name, with_sessions: withIt.length, without_sessions: without.length }
  if (withIt.length < NEEDED || without.length < NEEDED) return { ...createUnknownMeasure(name), ...counts }
  const found = compare(withIt, without)
  return { ...counts, ...found, reading: classifyReading(found) }
}

/** The measure if there is too little data. */
export const createUnknownMeasure = (name: MeasureName): EffectMeasure => ({
  name,
  with: null,
  without: null,
  with_sessions: 0,
  without_sessions: 0,
  difference: null,
  low: null,
  high: null,
  reading: 'too_few',
})

function classifyReading({ low, high }: Difference): EffectMeasure['reading'] {
  if (high < 0) return 'fewer'
  return low > 0 ? 'more' : 'unclear'
}

/** The difference of two groups with its 95 % confidence interval. */
export interface Difference {
  readonly with: number
  readonly without: number
  readonly difference: number
  readonly low: number
  readonly high: number
}

/**
 * The difference of two means of groups with different variances and sizes (Welch). Each needs at
 * least two values.
 */
export function welch(withIt: readonly number[], without: readonly number[]): Difference {
  const [a, b] = [computeSpread(withIt), computeSpread(without)]
  const difference = a.mean - b.mean
  const width = halfWidth(a, b)
  return { with: a.mean, without: b.mean, difference, low: difference - width, high: difference + width }
}

interface Spread {
  readonly mean: number
  /** The squared standard error of the mean. */
  readonly error: number
  readonly free: number
}

function computeSpread(values: readonly number[]): Spread {
  const count = values.length
  // Offsets from the first value, so that equal values have exactly that mean and no variance.
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
 * The two-sided 95 % quantile of Student's distribution by the Cornish–Fisher expansion (Abramowitz
 * and Stegun, 26.7.5). It is right to four decimals from 9 degrees of freedom on, which ten
 * sessions on each side have.
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

/**
 * The difference of two shares from their separate intervals (Newcombe's hybrid score). Neither
 * group is empty.
 */
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
