import { lexer, type Token } from 'marked'

/** Beyond this a part is shown as it was written: hostile text may cost more than its length. */
const LONGEST = 8_000

/** What a part of a text consists of; null where it is to be shown as it is. */
export function tokensOf(text: string): readonly Token[] | null {
  if (text.length > LONGEST) return null
  try {
    return lexer(text, { gfm: true, breaks: true })
  } catch {
    return null
  }
}
