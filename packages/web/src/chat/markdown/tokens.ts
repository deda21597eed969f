import { lexer, type Token } from 'marked'

/** Beyond these a part is shown as it was written: what is hostile may cost far more than its length, with every word that comes. */
const LONGEST = 8_000
const MOST_MARKS = 1_000
const MARK = /[*_~!`<[\]]/g
const DEEP = /^(?: {0,3}(?:>|(?:[-*+]|\d{1,9}[.)])(?= )) ?){12}/m

/** What a part of a text consists of; null where it is to be shown as it is. */
export function tokensOf(text: string): readonly Token[] | null {
  if (text.length > LONGEST || DEEP.test(text) || marksIn(text) > MOST_MARKS) return null
  try {
    return lexer(text, { gfm: true, breaks: true })
  } catch {
    return null
  }
}

const marksIn = (text: string): number => text.match(MARK)?.length ?? 0
