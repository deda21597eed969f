import type { EffectMeasure } from '@panoptes/schema'
import { plural } from './numbers.ts'
import type { Sides } from './sides.ts'

/** What to keep in mind when one reads the numbers, as far as it applies. */
export const caveatsOf = (sides: Sides, measures: readonly EffectMeasure[]): readonly string[] =>
  [
    ...(sides.with.length > 0 ? ['Sessions that were stopped early count too.'] : []),
    chance(sides),
    sides.otherKind > 0 &&
      `${plural(sides.otherKind, 'session')} that began with it became another kind of work and ${isNot(sides.otherKind)} compared.`,
    severalProjects(sides),
    sides.hadSeveral > 0 &&
      `${plural(sides.hadSeveral, 'session')} had another template, too: which of them did it is not known.`,
    gone(sides.gone),
    sides.atWork > 0 &&
      `${plural(sides.atWork, 'session is', 'sessions are')} still at work and not counted.`,
    sides.idle > 0 &&
      `${plural(sides.idle, 'session')} without tool calls or replies ${isNot(sides.idle)} compared.`,
    ...measures.map((measure) => partly(measure, sides)),
  ].filter((caveat) => typeof caveat === 'string')

const isNot = (count: number): string => (count === 1 ? 'is not' : 'are not')

function chance({ randomised, drawn, with: withIt, without }: Sides): string | false {
  if (randomised || withIt.length === 0 || without.length === 0) return false
  const differ = 'essions that began with it may differ from the others in more than that.'
  if (drawn === 0) return `Nobody drew lots: s${differ}`
  return `Chance decided for ${plural(drawn, 'session')} only, too few to go by. S${differ}`
}

/** Each may have its own share on either side, so that the difference may be one of projects. */
const severalProjects = ({ randomised, projects, without }: Sides): string | false =>
  !randomised &&
  projects > 1 &&
  without.length > 0 &&
  `${plural(projects, 'project')} are compared as one, so that a difference may be between projects.`

/** Those that were not worth keeping may be among them: what is left looks better than it was. */
const gone = (count: number): string | false =>
  count > 0 &&
  `${plural(count, 'use was', 'uses were')} in sessions that are not known or no longer there: what they came to is not counted.`

function partly(measure: EffectMeasure, { with: a, without: b }: Sides): string | false {
  const { name, with_sessions: known, without_sessions: others, reading } = measure
  if (name !== 'tokens' && name !== 'outcome') return false
  const all = a.length + b.length
  if (known + others === all || a.length === 0) return false
  const what = name === 'tokens' ? 'Tokens are' : 'The outcome is'
  const short = reading === 'too_few' ? ', too few to compare' : ''
  return `${what} known of ${known} of ${plural(a.length, 'session')} with it and ${others} of ${b.length} without${short}.`
}
