import { redactText } from '@panoptes/engine/redact'
import type { Message } from '@panoptes/schema'

const LOOKED_AT = 16_384

/** Prepares a text for storage: redacts secrets while they are whole, then shortens it. */
export function cleanExcerpt(text: string, most = 400): string {
  const clean = redactText(beginning(text)).text
  const cut = clean.length <= most ? clean : `${clean.slice(0, most - 1)}…`
  return cut.toWellFormed()
}

/** Cuts at the end of a word, because half a secret would not be recognized. */
function beginning(text: string): string {
  if (text.length <= LOOKED_AT) return text
  const cut = text.slice(0, LOOKED_AT)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 0))
}

/** Returns the line that describes a text most concisely. */
export const firstLine = (text: string): string => beginning(text.trimStart()).split('\n', 1)[0] ?? ''

/** Returns the text of a message. */
export const messageText = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
