import type { AgentQuestion } from '@panoptes/schema'

/** The chosen options and typed text so far, by the text of the question. */
export interface Draft {
  readonly picked: Readonly<Record<string, readonly string[]>>
  readonly typed: Readonly<Record<string, string>>
}

export const NO_DRAFT: Draft = { picked: {}, typed: {} }

export const pickedLabels = (draft: Draft, { question }: AgentQuestion): readonly string[] =>
  draft.picked[question] ?? []

/** Pressing an option again clears it; with a single choice it replaces any other. */
export function pick(draft: Draft, question: AgentQuestion, label: string): Draft {
  const before = pickedLabels(draft, question)
  const without = before.filter((one) => one !== label)
  const base = question.multi_select ? without : []
  const now = without.length < before.length ? base : [...base, label]
  return {
    picked: { ...draft.picked, [question.question]: now },
    typed: question.multi_select ? draft.typed : { ...draft.typed, [question.question]: '' },
  }
}

export function type(draft: Draft, question: AgentQuestion, text: string): Draft {
  const replaces = !question.multi_select && text.trim() !== ''
  return {
    picked: replaces ? { ...draft.picked, [question.question]: [] } : draft.picked,
    typed: { ...draft.typed, [question.question]: text },
  }
}

/** The answers, once every question has one. */
export function collectAnswers(
  questions: readonly AgentQuestion[],
  draft: Draft,
): Readonly<Record<string, readonly string[]>> | null {
  const answers = questions.map((question): [string, readonly string[]] => {
    const own = (draft.typed[question.question] ?? '').trim()
    const order = question.options.map(({ label }) => label)
    const picked = order.filter((label) => pickedLabels(draft, question).includes(label))
    return [question.question, own === '' ? picked : [...picked, own]]
  })
  return answers.every(([, labels]) => labels.length > 0) ? Object.fromEntries(answers) : null
}

/** A single question with a single choice is answered by one press. */
export const answersAtOnce = (questions: readonly AgentQuestion[]): boolean =>
  questions.length === 1 && questions[0]?.multi_select === false
