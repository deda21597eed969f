import { randomUUID } from 'node:crypto'
import type { AgentQuestion, AgentRequest, AnswerRequest, Problem } from '@panoptes/schema'

export type RequestInput = Omit<AgentRequest, 'request_id' | 'since' | 'expires_at' | 'choices'>

/** The result of an answer. A request accepts only answers for its own agent that fit its own questions. */
export type Taken =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not_waiting' }
  | { readonly kind: 'unfit'; readonly problems: readonly Problem[] }

/** Requests that agents hold open, for a bounded time, until a person answers on the page. */
export interface Requests {
  readonly list: () => readonly AgentRequest[]
  /**
   * Resolves with the answer, or with undefined when none came in time, the agent went away, or too many
   * requests are open.
   */
  readonly ask: (input: RequestInput, waitMs: number, gone: AbortSignal) => Promise<Answer | undefined>
  readonly answer: (of: { readonly session: string; readonly agent: string }, reply: AnswerRequest) => Taken
  /** Releases every request without an answer. */
  readonly close: () => void
}

const MOST = 256

/** A person's decision. For questions it has one text per question. */
export interface Answer {
  readonly choice: AnswerRequest['choice']
  readonly answers?: Readonly<Record<string, string>>
}

const LONGEST = 4_000

export function createRequests(now: () => number = Date.now): Requests {
  const waiting = new Map<
    string,
    { readonly request: AgentRequest; readonly end: (answer?: Answer) => void }
  >()
  let closed = false
  return {
    list: () => [...waiting.values()].map(({ request }) => request),
    ask: (input, waitMs, gone) => {
      if (closed || gone.aborted || waitMs <= 0 || waiting.size >= MOST) return Promise.resolve(undefined)
      const request_id = randomUUID()
      const since = now()
      const request: AgentRequest = {
        request_id,
        ...input,
        since,
        expires_at: since + waitMs,
        choices: ['allow', 'deny'],
      }
      return new Promise((resolve) => {
        const end = (answer?: Answer) => {
          clearTimeout(limit)
          gone.removeEventListener('abort', leave)
          waiting.delete(request_id)
          resolve(answer)
        }
        const leave = () => end()
        const limit = setTimeout(leave, waitMs)
        gone.addEventListener('abort', leave, { once: true })
        waiting.set(request_id, { request, end })
      })
    },
    answer: ({ session, agent }, reply) => {
      const found = waiting.get(reply.request_id)
      if (found?.request.session_id !== session || found.request.agent_id !== agent) {
        return { kind: 'not_waiting' }
      }
      const fit = fitAnswer(found.request.questions, reply)
      if ('problems' in fit) return { kind: 'unfit', problems: fit.problems }
      found.end(fit.answer)
      return { kind: 'taken' }
    },
    close: () => {
      closed = true
      for (const { end } of [...waiting.values()]) end()
    },
  }
}

/** Converts the answer into the form the agent expects, or fails when it does not fit the questions. */
export function fitAnswer(
  questions: readonly AgentQuestion[],
  { choice, answers }: Pick<AnswerRequest, 'choice' | 'answers'>,
): { readonly answer: Answer } | { readonly problems: readonly Problem[] } {
  if (answers === undefined && (questions.length === 0 || choice === 'deny')) return { answer: { choice } }
  if (questions.length === 0)
    return problemResult('answers', 'applies only to questions, and this is a permission request')
  if (choice === 'deny') return problemResult('answers', 'cannot be combined with deny')
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

const problemResult = (path: string, reason: string) => ({ problems: [{ path, reason }] })
