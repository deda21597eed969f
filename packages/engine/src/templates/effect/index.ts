import type { EffectMeasure, TemplateEffect, TemplateVerdict } from '@panoptes/schema'
import type { Known } from '../stored.ts'
import { caveatsOf } from './caveats.ts'
import { type Common, lookupOf } from './lookup.ts'
import { measuresOf, type Outcomes } from './measures.ts'
import { sidesOf } from './sides.ts'
import { saysOf } from './words.ts'

export interface EffectsInput extends Common {
  readonly known: readonly Known[]
  readonly outcomes: Outcomes
}

/** What each template did, as far as the sessions that had it differ from those that had none. */
export function effectsOf({ known, outcomes, ...common }: EffectsInput): readonly TemplateEffect[] {
  const lookup = lookupOf(common)
  return known.map((one) => {
    const { template, place } = one
    const sides = sidesOf(one, lookup)
    const measures = measuresOf(sides, outcomes)
    const verdict = sides.isUsed ? verdictOf(measures) : 'not_used'
    return {
      template: template.name,
      place,
      task_type: template.task_type,
      project: common.project ?? null,
      with_sessions: sides.with.length,
      without_sessions: sides.without.length,
      randomised: sides.randomised,
      verdict,
      says: saysOf(verdict, sides, measures),
      measures: [...measures],
      caveats: sides.isUsed ? [...caveatsOf(sides, measures)] : [],
    }
  })
}

/** Tool errors decide: they are known of every session, and mean the same in each. */
function verdictOf(measures: readonly EffectMeasure[]): TemplateVerdict {
  const reading = measures.find(({ name }) => name === 'tool_errors')?.reading
  if (reading === 'fewer') return 'helps'
  if (reading === 'more') return 'harms'
  return reading === 'unclear' ? 'unclear' : 'no_evidence'
}
