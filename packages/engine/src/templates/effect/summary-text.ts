import type { EffectMeasure, MeasureName, TemplateVerdict } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { NEEDED, type Sides } from './comparison-groups.ts'

/** Two numbers with as many digits as it takes to tell them apart. */
type Pair = readonly [string, string]

const MOST_DIGITS = 2

export const formatPercents = (a: number, b: number): Pair =>
  formatDistinct([a * 100, b * 100], (value, digits) => `${groupDigits(value, digits)} %`)

export const formatAmounts = (a: number, b: number): Pair => formatDistinct([a, b], groupDigits)

const THOUSAND = 1_000
const MILLION = 1_000_000

export const formatCounts = (a: number, b: number): Pair => {
  const [one, other] = [formatShort(a), formatShort(b)]
  return one === other ? [groupDigits(a, 0), groupDigits(b, 0)] : [one, other]
}

const groupDigits = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Summarizes the comparison in plain sentences. */
export function describeEffect(
  verdict: TemplateVerdict,
  sides: Sides,
  measures: readonly EffectMeasure[],
): string {
  if (verdict === 'not_used') return 'Not used yet.'
  if (verdict === 'no_evidence')
    return `No evidence yet: ${describeShortage(sides)}. It takes ${NEEDED} on each side.`
  const clear = measures.filter(({ reading }) => reading === 'fewer' || reading === 'more')
  const unclear = measures.filter(({ reading }) => reading === 'unclear').map(({ name }) => NAMES[name])
  return [
    ...clear.map((measure, n) => describeMeasure(measure, n === 0)),
    ...(unclear.length > 0 ? [`For ${formatList(unclear)} the difference is unclear.`] : []),
  ].join(' ')
}

function describeShortage({ with: withIt, without }: Sides): string {
  const had = plural(withIt.length, 'session')
  return withIt.length < NEEDED ? had : `${had} with it, ${without.length} without`
}

const NAMES: Readonly<Record<MeasureName, string>> = {
  tool_errors: 'failed tool calls',
  turns: 'turns',
  tokens: 'tokens',
  outcome: 'outcome',
}

const OF_SESSIONS = 'essions that began with it'

function describeMeasure(measure: EffectMeasure, isFirst: boolean): string {
  const { name, reading, with: a, without: b } = measure
  const [one, other] = SHOWN[name](a ?? 0, b ?? 0)
  const they = isFirst ? `S${OF_SESSIONS}` : 'They'
  const against = `${one} against ${other}.`
  if (name === 'tool_errors') return `${they} had ${reading} failed tool calls: ${against}`
  if (name !== 'outcome') return `${they} took ${reading} ${NAMES[name]}: ${against}`
  const of = isFirst ? `the s${OF_SESSIONS}` : 'them'
  return `${reading === 'more' ? 'More' : 'Fewer'} of ${of} ended functional: ${against}`
}

const SHOWN = {
  tool_errors: formatPercents,
  turns: formatAmounts,
  tokens: formatCounts,
  outcome: formatPercents,
} as const

const formatList = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

function formatShort(value: number): string {
  if (value >= MILLION) return `${groupDigits(value / MILLION, 1)}M`
  return value >= 10 * THOUSAND ? `${groupDigits(value / THOUSAND, 0)}k` : groupDigits(value, 0)
}

function formatDistinct(
  [a, b]: readonly [number, number],
  show: (value: number, digits: number) => string,
): Pair {
  for (let digits = 0; ; digits += 1) {
    const pair: Pair = [show(a, digits), show(b, digits)]
    if (pair[0] !== pair[1] || digits === MOST_DIGITS || a === b) return pair
  }
}
