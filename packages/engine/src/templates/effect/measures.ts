import type { Share } from '@panoptes/engine/intervals'
import type { EffectMeasure, MeasureName, Outcome } from '@panoptes/schema'
import type { SessionWork } from '../past.ts'
import { type Difference, newcombe, welch } from './intervals.ts'
import { nameOf } from './lookup.ts'
import { NEEDED, type Sides } from './sides.ts'

/** How sessions ended, by `source/id`. */
export type Outcomes = ReadonlyMap<string, Outcome | null>

/** Everything that is compared, in the order it is told. */
export const measuresOf = (sides: Sides, outcomes: Outcomes): readonly EffectMeasure[] => [
  ofValues('tool_errors', sides, errorShare, (a, b) => bounded(welch(a, b))),
  ofValues('turns', sides, ({ turns }) => turns, welch),
  ofValues('tokens', sides, ({ tokens }) => (tokens ? Math.log(tokens) : null), ratio),
  ofValues('outcome', sides, isFunctional(outcomes), (a, b) => newcombe(shareOf(a), shareOf(b))),
]

/** More results may say that they failed than calls were told. */
const errorShare = ({ errors, tool_calls: calls }: SessionWork): number => Math.min(1, errors / calls)

const isFunctional =
  (outcomes: Outcomes) =>
  (work: SessionWork): number | null => {
    const outcome = outcomes.get(nameOf(work)) ?? null
    return outcome === null ? null : Number(outcome === 'functional')
  }

const shareOf = (values: readonly number[]): Share => ({
  hits: values.reduce((sum, value) => sum + value, 0),
  count: values.length,
})

/** Shares cannot differ by more than all. */
const bounded = (found: Difference): Difference => ({
  ...found,
  low: Math.max(-1, found.low),
  high: Math.min(1, found.high),
})

/** A few sessions take very much: their logarithms are compared, so that no single one decides. */
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
  told: (work: SessionWork) => number | null,
  compare: (withIt: readonly number[], without: readonly number[]) => Difference,
): EffectMeasure {
  const known = (works: readonly SessionWork[]) => works.map(told).filter((value) => value !== null)
  const [withIt, without] = [known(sides.with), known(sides.without)]
  const counts = { name, with_sessions: withIt.length, without_sessions: without.length }
  if (withIt.length < NEEDED || without.length < NEEDED) return { ...unknown(name), ...counts }
  const found = compare(withIt, without)
  return { ...counts, ...found, reading: readingOf(found) }
}

/** Where there is too little to tell. */
export const unknown = (name: MeasureName): EffectMeasure => ({
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

function readingOf({ low, high }: Difference): EffectMeasure['reading'] {
  if (high < 0) return 'fewer'
  return low > 0 ? 'more' : 'unclear'
}
