import type { AskedQuestion } from '@panoptes/schema'

/** What is chosen and typed so far, by the text of the question. */
export interface Draft {
  readonly picked: Readonly<Record<string, readonly string[]>>
  readonly typed: Readonly<Record<string, string>>
}

export const NO_DRAFT: Draft = { picked: {}, typed: {} }

export const pickedOf = (draft: Draft, { question }: AskedQuestion): readonly string[] =>
  draft.picked[question] ?? []

/** An option that is pressed again is let go; where one answer counts it takes the place of any other. */
export function pick(draft: Draft, asked: AskedQuestion, label: string): Draft {
  const before = pickedOf(draft, asked)
  const without = before.filter((one) => one !== label)
  const kept = asked.multi_select ? without : []
  const now = without.length < before.length ? kept : [...kept, label]
  return {
    picked: { ...draft.picked, [asked.question]: now },
    typed: asked.multi_select ? draft.typed : { ...draft.typed, [asked.question]: '' },
  }
}

export function type(draft: Draft, asked: AskedQuestion, text: string): Draft {
  const replaces = !asked.multi_select && text.trim() !== ''
  return {
    picked: replaces ? { ...draft.picked, [asked.question]: [] } : draft.picked,
    typed: { ...draft.typed, [asked.question]: text },
  }
}

/** The answers once every question has one. */
export function answersOf(
  questions: readonly AskedQuestion[],
  draft: Draft,
): Readonly<Record<string, readonly string[]>> | null {
  const answers = questions.map((asked): [string, readonly string[]] => {
    const own = (draft.typed[asked.question] ?? '').trim()
    const order = asked.options.map(({ label }) => label)
    const picked = order.filter((label) => pickedOf(draft, asked).includes(label))
    return [asked.question, own === '' ? picked : [...picked, own]]
  })
  return answers.every(([, said]) => said.length > 0) ? Object.fromEntries(answers) : null
}

/** One question with one answer needs no second press. */
export const answersAtOnce = (questions: readonly AskedQuestion[]): boolean =>
  questions.length === 1 && questions[0]?.multi_select === false
