import type { AnswerRequest, AskedQuestion, Problem } from '@panoptes/schema'

/** What a person decided; for questions, one text for each of them. */
export interface Answer {
  readonly choice: AnswerRequest['choice']
  readonly answers?: Readonly<Record<string, string>>
}

const LONGEST = 4_000

/** The answer as the agent takes it, or where it does not fit what was asked. */
export function fitAnswer(
  questions: readonly AskedQuestion[],
  { choice, answers }: Pick<AnswerRequest, 'choice' | 'answers'>,
): { readonly answer: Answer } | { readonly problems: readonly Problem[] } {
  if (answers === undefined && (questions.length === 0 || choice === 'deny')) return { answer: { choice } }
  if (questions.length === 0) return unfit('answers', 'is only for a question, and this is a permission')
  if (choice === 'deny') return unfit('answers', 'cannot stand together with deny')
  const said = answers ?? {}
  const problems = [
    ...Object.keys(said)
      .filter((text) => !questions.some(({ question }) => question === text))
      .map((text) => problem(text, 'is not what the agent asks')),
    ...questions.flatMap((question) => problemOf(question, partsOf(said, question))),
  ]
  if (problems.length > 0) return { problems }
  const texts = questions.map((question) => [question.question, partsOf(said, question).join(', ')] as const)
  return { answer: { choice, answers: Object.fromEntries(texts) } }
}

function partsOf(
  said: NonNullable<AnswerRequest['answers']>,
  { question }: AskedQuestion,
): readonly string[] {
  const parts = Object.hasOwn(said, question) ? said[question] : undefined
  return [parts ?? []].flat().map((part) => part.trim())
}

function problemOf({ question, multi_select }: AskedQuestion, parts: readonly string[]): readonly Problem[] {
  if (parts.length === 0 || parts.includes('')) return [problem(question, 'needs an answer')]
  if (parts.length > 1 && !multi_select) return [problem(question, 'takes one answer')]
  if (parts.join(', ').length <= LONGEST) return []
  return [problem(question, `takes no more than ${LONGEST} characters`)]
}

const problem = (question: string, reason: string): Problem => ({
  path: `answers.${question.slice(0, 100)}`,
  reason,
})

const unfit = (path: string, reason: string) => ({ problems: [{ path, reason }] })
