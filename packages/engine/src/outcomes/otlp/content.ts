import { redactText, redactValue } from '@panoptes/engine/redact'
import type { Message } from '@panoptes/schema'

const LONGEST = 65_536

const cut = (text: string): string =>
  (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text).toWellFormed()

/** Redacts a text and limits it to what collectors accept. */
const clean = (text: string): string => cut(redactText(text).text)

/** Formats a message according to the conventions; calls and results are spans of their own. */
export function messageContent(message: Message, finish?: string): string | undefined {
  const parts = message.content.flatMap((block) =>
    block.type === 'text' && block.text !== '' ? [{ type: 'text', content: clean(block.text) }] : [],
  )
  if (parts.length === 0) return undefined
  return JSON.stringify([{ role: message.role, parts, ...(finish ? { finish_reason: finish } : {}) }])
}

export const argumentsContent = (input: unknown): string => cut(JSON.stringify(redactValue(input)) ?? '')
export const resultContent = (text: string): string => clean(text)
