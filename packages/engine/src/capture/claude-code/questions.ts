import type { AgentQuestion } from '@panoptes/schema'
import { z } from 'zod'

/** The tool with which the client's agents ask a person. */
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

/** The questions of an agent with the unchanged input of the call: the answer is added to that input. */
export interface Questions {
  readonly questions: readonly AgentQuestion[]
  readonly input: Readonly<Record<string, unknown>>
}

/** Parses the questions of a tool's input. Returns undefined for an unknown shape. */
export function parseQuestions(input: unknown): Questions | undefined {
  const read = toolInput.safeParse(input)
  if (!read.success) return undefined
  const questions = read.data.questions.map(({ question, header, options, multiSelect }) => ({
    question,
    header: header ?? null,
    options: options.map(({ label, description }) => ({ label, description: description || null })),
    multi_select: multiSelect ?? false,
  }))
  const texts = new Set(questions.map(({ question }) => question))
  // Answers refer to questions by their text, so two identical questions could not be told apart.
  return texts.size === questions.length ? { questions, input: input as Questions['input'] } : undefined
}
