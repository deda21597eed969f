import type { ContextSection, SentContext } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import type { ContextView } from '../state/details.ts'

/** The sent context, taken from the complete record. */
export const toContextView = ({ sections, skills, template, budget_tokens }: SentContext): ContextView => ({
  sections,
  skills: skills.skills,
  skillsLeftOut: skills.left_out,
  template,
  budget: budget_tokens,
})

export interface SentSums {
  readonly tokens: number
  readonly leftOut: number
  readonly unavailable: number
  readonly most: number
}

export const sumSections = (sections: readonly ContextSection[]): SentSums => ({
  tokens: sum(sections.map(({ tokens }) => tokens)),
  leftOut: sum(sections.map(({ left_out }) => left_out)),
  unavailable: sections.filter(({ status }) => status === 'unavailable').length,
  most: Math.max(1, ...sections.map(({ tokens }) => tokens)),
})
