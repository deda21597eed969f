import type { EffectMeasure, TemplateEffect, TemplateVerdict } from '@panoptes/schema'
import { isOf } from '../known.ts'
import { caveatsOf } from './caveats.ts'
import { measuresOf, type Outcomes } from './measures.ts'
import { type Compared, sidesOf } from './sides.ts'
import { saysOf } from './words.ts'

export interface EffectInput extends Compared {
  readonly outcomes: Outcomes
}

/** What a template did, as far as the sessions that had it differ from those that had none. */
export function effectOf({ outcomes, ...compared }: EffectInput): TemplateEffect {
  const { known, injections, project = null } = compared
  const { template, place } = known
  const sides = sidesOf(compared)
  const measures = measuresOf(sides, outcomes)
  const isUsed = template.usage_count > 0 || injections.some((row) => row.arm === 'with' && isOf(known, row))
  const verdict = isUsed ? verdictOf(measures) : 'not_used'
  return {
    template: template.name,
    place,
    task_type: template.task_type,
    project,
    with_sessions: sides.with.length,
    without_sessions: sides.without.length,
    randomised: sides.randomised,
    verdict,
    says: saysOf(verdict, sides, measures),
    measures: [...measures],
    caveats: verdict === 'not_used' ? [] : [...caveatsOf(sides, measures)],
  }
}

/** Tool errors decide: they are known of every session, and mean the same in each. */
function verdictOf(measures: readonly EffectMeasure[]): TemplateVerdict {
  const reading = measures.find(({ name }) => name === 'tool_errors')?.reading
  if (reading === 'fewer') return 'helps'
  if (reading === 'more') return 'harms'
  return reading === 'unclear' ? 'unclear' : 'no_evidence'
}
