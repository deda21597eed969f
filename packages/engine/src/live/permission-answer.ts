import type { AgentQuestion, AnswerRequest, Problem } from '@panoptes/schema'

/** A person's decision. For questions it has one text per question. */
export interface Answer {
  readonly choice: AnswerRequest['choice']
  readonly answers?: Readonly<Record<string, string>>
}

const LONGEST = 4_000

/** Converts the answer into the form the agent expects, or fails when it does not fit the questions. */
export function fitAnswer(
  questions: readonly AgentQuestion[],
  { choice, answers }: Pick<AnswerRequest, 'choice' | 'answers'>,
): { readonly answer: Answer } | { readonly problems: readonly Problem[] } {
  if (answers === undefined && (questions.length === 0 || choice === 'deny')) return { answer: { choice } }
  if (questions.length === 0)
    return unfit('answers', 'applies only to questions, and this is a permission request')
  if (choice === 'deny') return unfit('answers', 'cannot be combined with deny')
  const replies = answers ?? {}
  const problems = [
    ...Object.keys(replies)
      .filter((text) => !questions.some(({ question }) => question === text))
      .map((text) => problem(text, 'is not one of the questions of the agent')),
    ...questions.flatMap((question) => checkAnswer(question, answerParts(replies, question))),
  ]
  if (problems.length > 0) return { problems }
  const texts = questions.map(
    (question) => [question.question, answerParts(replies, question).join(', ')] as const,
  )
  return { answer: { choice, answers: Object.fromEntries(texts) } }
}

function answerParts(
  replies: NonNullable<AnswerRequest['answers']>,
  { question }: AgentQuestion,
): readonly string[] {
  const parts = Object.hasOwn(replies, question) ? replies[question] : undefined
  return [parts ?? []].flat().map((part) => part.trim())
}

function checkAnswer(
  { question, multi_select }: AgentQuestion,
  parts: readonly string[],
): readonly Problem[] {
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
