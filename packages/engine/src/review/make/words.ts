import { redactText } from '@panoptes/engine/redact'
import type { Message } from '@panoptes/schema'

const LOOKED_AT = 4_096

/** What an account keeps of a text: without secrets, which have to be found while they are whole, and no longer than this. */
export function kept(text: string, most = 400): string {
  const clean = redactText(text.slice(0, LOOKED_AT)).text
  const cut = clean.length <= most ? clean : `${clean.slice(0, most - 1)}…`
  return cut.toWellFormed()
}

/** The line of a text that says most shortly what it is. */
export const firstLine = (text: string): string =>
  text.trimStart().slice(0, LOOKED_AT).split('\n', 1)[0] ?? ''

/** What a message says in words. */
export const wordsOf = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
