import { z } from 'zod'
import { sourceName } from './event.ts'
import { timestamp } from './time.ts'

/** One question of an agent to a person. Besides the options, any text is a valid answer. */
export const agentQuestion = z.object({
  question: z.string(),
  header: z.string().nullable(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multi_select: z.boolean(),
})
export type AgentQuestion = z.infer<typeof agentQuestion>

/**
 * What an agent waits for and what may be answered from the page until it expires: a permission or
 * questions.
 */
export const agentRequest = z.object({
  request_id: z.string(),
  source: sourceName,
  session_id: z.string(),
  agent_id: z.string(),
  tool: z.string().nullable(),
  input_preview: z.string().nullable(),
  since: timestamp,
  expires_at: timestamp,
  choices: z.array(z.enum(['allow', 'deny'])),
  /**
   * Empty if the agent asks for a permission. Allowing a request with questions means answering
   * every one of them.
   */
  questions: z.array(agentQuestion),
})
export type AgentRequest = z.infer<typeof agentRequest>
export const requestsReply = z.array(agentRequest)
export const answerRequest = z.strictObject({
  request_id: z.string().min(1),
  choice: z.enum(['allow', 'deny']),
  /**
   * By the text of each question: the label of an option or free text; several if the question
   * allows it.
   */
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
})
export type AnswerRequest = z.infer<typeof answerRequest>
export const answerReply = z.object({ ok: z.boolean() })
