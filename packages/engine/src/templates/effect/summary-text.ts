import type { EffectMeasure, MeasureName, TemplateVerdict } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { NEEDED, type Sides } from './comparison-groups.ts'
import { amounts, counts, percents } from './numbers.ts'

/** Summarizes the comparison in plain sentences. */
export function describeEffect(
  verdict: TemplateVerdict,
  sides: Sides,
  measures: readonly EffectMeasure[],
): string {
  if (verdict === 'not_used') return 'Not used yet.'
  if (verdict === 'no_evidence') return `No evidence yet: ${tooFew(sides)}. It takes ${NEEDED} on each side.`
  const clear = measures.filter(({ reading }) => reading === 'fewer' || reading === 'more')
  const unclear = measures.filter(({ reading }) => reading === 'unclear').map(({ name }) => NAMES[name])
  return [
    ...clear.map((measure, n) => clearly(measure, n === 0)),
    ...(unclear.length > 0 ? [`For ${listed(unclear)} the difference is unclear.`] : []),
  ].join(' ')
}

function tooFew({ with: withIt, without }: Sides): string {
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

function clearly(measure: EffectMeasure, isFirst: boolean): string {
  const { name, reading, with: a, without: b } = measure
  const [one, other] = SHOWN[name](a ?? 0, b ?? 0)
  const they = isFirst ? `S${OF_SESSIONS}` : 'They'
  const against = `${one} against ${other}.`
  if (name === 'tool_errors') return `${they} had ${reading} failed tool calls: ${against}`
  if (name !== 'outcome') return `${they} took ${reading} ${NAMES[name]}: ${against}`
  const of = isFirst ? `the s${OF_SESSIONS}` : 'them'
  return `${reading === 'more' ? 'More' : 'Fewer'} of ${of} ended functional: ${against}`
}

const SHOWN = { tool_errors: percents, turns: amounts, tokens: counts, outcome: percents } as const

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
