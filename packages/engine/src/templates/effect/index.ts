import type { EffectMeasure, TemplateEffect, TemplateVerdict } from '@panoptes/schema'
import type { TemplateEntry } from '../stored-template.ts'
import { listCaveats } from './caveats.ts'
import { buildSides } from './comparison-groups.ts'
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
