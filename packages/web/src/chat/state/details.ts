import type { ContextSection, ShortlistedSkill, TaskGraph } from '@panoptes/schema'

/** What was sent, as far as a stream tells of it: everything but the texts. */
export interface ContextView {
  readonly sections: readonly ContextSection[]
  readonly skills: readonly Pick<ShortlistedSkill, 'name' | 'score' | 'reasons'>[]
  readonly skillsLeftOut: number
  readonly template: string | null
  readonly budget: number | null
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf).filter((one) => one !== null) : []
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

export function contextIn(detail: unknown): ContextView | null {
  const told = fieldsOf(detail)
  if (!told || !Array.isArray(told.sections)) return null
  return {
    sections: listOf(told.sections).map(sectionIn),
    skills: listOf(told.skills).map((skill) => ({
      name: text(skill.name),
      score: number(skill.score),
      reasons: [...texts(skill.reasons)],
    })),
    skillsLeftOut: number(told.left_out),
    template: typeof told.template === 'string' ? told.template : null,
    budget: typeof told.budget_tokens === 'number' ? told.budget_tokens : null,
  }
}

function sectionIn(told: Fields): ContextSection {
  const status = text(told.status)
  return {
    key: text(told.key),
    title: text(told.title) || text(told.key),
    status: status === 'absent' || status === 'unavailable' ? status : 'ok',
    chars: number(told.chars),
    tokens: number(told.tokens),
    items: number(told.items),
    left_out: number(told.left_out),
    truncated: told.truncated === true,
    ...(typeof told.note === 'string' ? { note: told.note } : {}),
  }
}

/** A plan as a graph; null where the detail is none. */
export function planIn(detail: unknown): TaskGraph | null {
  const told = fieldsOf(detail)
  if (!told || !Array.isArray(told.nodes)) return null
  return {
    decision: told.decision === 'parallel' ? 'parallel' : 'sequential',
    worthiness: number(told.worthiness),
    reasons: [...texts(told.reasons)],
    nodes: listOf(told.nodes).map(({ id, label, work }) => ({
      id: text(id),
      label: text(label) || text(id),
      work: number(work),
    })),
    edges: listOf(told.edges).map(({ from, to }) => ({ from: text(from), to: text(to) })),
    ...(told.refined === true ? { refined: true } : {}),
  }
}
