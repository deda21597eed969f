import type { AskedQuestion } from '@panoptes/schema'
import { z } from 'zod'

/** The tool by which the client's agents ask a person. */
export const QUESTION_TOOL = 'AskUserQuestion'

const MOST_QUESTIONS = 8
const MOST_OPTIONS = 32
const text = z.string().min(1).max(4_000)

const toolInput = z.object({
  questions: z
    .array(
      z.object({
        question: text,
        header: text.nullish(),
        options: z
          .array(z.object({ label: text, description: z.string().max(4_000).nullish() }))
          .max(MOST_OPTIONS),
        multiSelect: z.boolean().nullish(),
      }),
    )
    .min(1)
    .max(MOST_QUESTIONS),
})

/** What an agent asks, with the input of its call as it came: the answer goes back inside it. */
export interface Questions {
  readonly questions: readonly AskedQuestion[]
  readonly input: Readonly<Record<string, unknown>>
}

/** The questions of a tool's input; nothing where they are not of a shape that is known. */
export function questionsOf(input: unknown): Questions | undefined {
  const read = toolInput.safeParse(input)
  if (!read.success) return undefined
  const questions = read.data.questions.map(({ question, header, options, multiSelect }) => ({
    question,
    header: header ?? null,
    options: options.map(({ label, description }) => ({ label, description: description || null })),
    multi_select: multiSelect ?? false,
  }))
  const texts = new Set(questions.map(({ question }) => question))
  // Answers go by the text of the question: two of the same could not be told apart.
  return texts.size === questions.length ? { questions, input: input as Questions['input'] } : undefined
}
