import type { ContextSection, ShortlistedSkill, TaskGraph } from '@panoptes/schema'
import { type Fields, isPlainObject } from '@panoptes/schema/plain-object'

/** The context that was sent, as far as a stream reports it: everything but the text. */
export interface ContextView {
  readonly sections: readonly ContextSection[]
  readonly skills: readonly Pick<ShortlistedSkill, 'name' | 'score' | 'reasons'>[]
  readonly skillsLeftOut: number
  readonly template: string | null
  readonly budget: number | null
}

const toFields = (value: unknown): Fields | null => (isPlainObject(value) ? value : null)
const toFieldsList = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(toFields).filter((one) => one !== null) : []
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

export function readContext(detail: unknown): ContextView | null {
  const fields = toFields(detail)
  if (!fields || !Array.isArray(fields.sections)) return null
  return {
    sections: toFieldsList(fields.sections).map(readSection),
    skills: toFieldsList(fields.skills).map((skill) => ({
      name: text(skill.name),
      score: number(skill.score),
      reasons: [...texts(skill.reasons)],
    })),
    skillsLeftOut: number(fields.left_out),
    template: typeof fields.template === 'string' ? fields.template : null,
    budget: typeof fields.budget_tokens === 'number' ? fields.budget_tokens : null,
  }
}

function readSection(fields: Fields): ContextSection {
  const status = text(fields.status)
  return {
    key: text(fields.key),
    title: text(fields.title) || text(fields.key),
    status: status === 'absent' || status === 'unavailable' ? status : 'ok',
    chars: number(fields.chars),
    tokens: number(fields.tokens),
    items: number(fields.items),
    left_out: number(fields.left_out),
    truncated: fields.truncated === true,
    ...(typeof fields.note === 'string' ? { note: fields.note } : {}),
  }
}

/** A plan as a graph; null if the detail is not a plan. */
export function readPlan(detail: unknown): TaskGraph | null {
  const fields = toFields(detail)
  if (!fields || !Array.isArray(fields.nodes)) return null
  return {
    decision: fields.decision === 'parallel' ? 'parallel' : 'sequential',
    worthiness: number(fields.worthiness),
    reasons: [...texts(fields.reasons)],
    nodes: toFieldsList(fields.nodes).map(({ id, label, work }) => ({
      id: text(id),
      label: text(label) || text(id),
      work: number(work),
    })),
    edges: toFieldsList(fields.edges).map(({ from, to }) => ({ from: text(from), to: text(to) })),
    ...(fields.refined === true ? { refined: true } : {}),
  }
}
