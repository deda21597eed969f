import type { EffectMeasure, TemplateEffect, TemplateVerdict } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import type { TemplateEntry } from '../file.ts'
import { buildSides, type Sides } from './comparison-groups.ts'
import { type Common, createLookup } from './lookup.ts'
import { computeMeasures, type Outcomes } from './measures.ts'
import { describeEffect } from './summary-text.ts'

export interface EffectsInput extends Common {
  readonly known: readonly TemplateEntry[]
  readonly outcomes: Outcomes
}

/**
 * Computes the effect of each template from the difference between sessions with and without it.
 */
export function computeEffects({ known, outcomes, ...common }: EffectsInput): readonly TemplateEffect[] {
  const lookup = createLookup(common)
  return known.map((one) => {
    const { template, place } = one
    const sides = buildSides(one, lookup)
    const measures = computeMeasures(sides, outcomes)
    const verdict = sides.isUsed ? decideVerdict(measures) : 'not_used'
    return {
      template: template.name,
      place,
      task_type: template.task_type,
      project: common.project ?? null,
      with_sessions: sides.with.length,
      without_sessions: sides.without.length,
      randomised: sides.randomised,
      verdict,
      says: describeEffect(verdict, sides, measures),
      measures: [...measures],
      caveats: sides.isUsed ? [...listCaveats(sides, measures)] : [],
    }
  })
}

/**
 * The verdict depends on tool errors, because they are known for every session and mean the same in
 * each.
 */
function decideVerdict(measures: readonly EffectMeasure[]): TemplateVerdict {
  const reading = measures.find(({ name }) => name === 'tool_errors')?.reading
  if (reading === 'fewer') return 'helps'
  if (reading === 'more') return 'harms'
  return reading === 'unclear' ? 'unclear' : 'no_evidence'
}

/** The applicable caveats for reading the numbers. */
const listCaveats = (sides: Sides, measures: readonly EffectMeasure[]): readonly string[] =>
  [
    ...(sides.with.length > 0 ? ['Sessions that were stopped early count too.'] : []),
    describeAssignment(sides),
    sides.otherKind > 0 &&
      `${plural(sides.otherKind, 'session')} that began with it became another kind of work and ${isNot(sides.otherKind)} compared.`,
    describeProjects(sides),
    sides.hadSeveral > 0 &&
      `${plural(sides.hadSeveral, 'session')} also had another template, so the effect cannot be attributed.`,
    describeMissing(sides.gone),
    sides.atWork > 0 &&
      `${plural(sides.atWork, 'session is', 'sessions are')} still running and not counted.`,
    sides.idle > 0 &&
      `${plural(sides.idle, 'session')} without tool calls or replies ${isNot(sides.idle)} compared.`,
    ...measures.map((measure) => describeCoverage(measure, sides)),
  ].filter((caveat) => typeof caveat === 'string')

const isNot = (count: number): string => (count === 1 ? 'is not' : 'are not')

function describeAssignment({ randomised, drawn, with: withIt, without }: Sides): string | false {
  if (randomised || withIt.length === 0 || without.length === 0) return false
  const differ = 'essions that began with it may differ from the others in more than that.'
  if (drawn === 0) return `Sessions were not assigned at random: s${differ}`
  return `Only ${plural(drawn, 'session')} ${drawn === 1 ? 'was' : 'were'} assigned at random, too few to compare. S${differ}`
}

/**
 * Each project may have a different share on either side, so the difference may come from the
 * projects.
 */
const describeProjects = ({ randomised, projects, without }: Sides): string | false =>
  !randomised &&
  projects > 1 &&
  without.length > 0 &&
  `${plural(projects, 'project')} are compared together, so a difference may come from the projects.`

/**
 * Sessions that were not worth keeping may be among the missing ones, so the rest looks better than
 * it was.
 */
const describeMissing = (count: number): string | false =>
  count > 0 &&
  `${plural(count, 'use was', 'uses were')} in sessions that are unknown or no longer exist, so their results are not counted.`

function describeCoverage(measure: EffectMeasure, { with: a, without: b }: Sides): string | false {
  const { name, with_sessions: withSessions, without_sessions: others, reading } = measure
  if (name !== 'tokens' && name !== 'outcome') return false
  const all = a.length + b.length
  if (withSessions + others === all || a.length === 0) return false
  const what = name === 'tokens' ? 'Tokens are' : 'The outcome is'
  const short = reading === 'too_few' ? ', too few to compare' : ''
  return `${what} known of ${withSessions} of ${plural(a.length, 'session')} with it and ${others} of ${b.length} without${short}.`
}
