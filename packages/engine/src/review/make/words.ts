import { redactText } from '@panoptes/engine/redact'
import type { Message } from '@panoptes/schema'

const LOOKED_AT = 16_384

/** What an account keeps of a text: without secrets, which have to be found while they are whole, and no longer than this. */
export function kept(text: string, most = 400): string {
  const clean = redactText(beginning(text)).text
  const cut = clean.length <= most ? clean : `${clean.slice(0, most - 1)}…`
  return cut.toWellFormed()
}

/** To the end of a word: of a secret, a part is not known for one. */
function beginning(text: string): string {
  if (text.length <= LOOKED_AT) return text
  const cut = text.slice(0, LOOKED_AT)
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'), 0))
}

/** The line of a text that says most shortly what it is. */
export const firstLine = (text: string): string => beginning(text.trimStart()).split('\n', 1)[0] ?? ''

/** What a message says in words. */
export const wordsOf = ({ content }: Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
