/** A word of a text and its position. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

const WORD = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
const MOST = 20_000
const MOST_CHARACTERS = 200_000

/** Only the beginning of a very long text is compared. */
export const looked = (text: string): string =>
  text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text

/** Returns the words of a text in lower case; for a very long text, only those of its beginning. */
export function extractWords(text: string): readonly Word[] {
  const words: Word[] = []
  for (const found of looked(text).matchAll(WORD)) {
    words.push({ text: found[0].toLowerCase(), from: found.index, to: found.index + found[0].length })
    if (words.length >= MOST) break
  }
  return words
}

/** A text as words and as numbers, with one number per distinct word. */
export interface Numbered {
  readonly text: string
  readonly words: readonly Word[]
  readonly numbers: Uint32Array
}

export type Vocabulary = Map<string, number>

export function numbered(text: string, vocabulary: Vocabulary): Numbered {
  const words = extractWords(text)
  const numbers = new Uint32Array(words.length)
  for (const [at, word] of words.entries()) {
    const existing = vocabulary.get(word.text)
    numbers[at] = existing ?? vocabulary.size
    if (existing === undefined) vocabulary.set(word.text, vocabulary.size)
  }
  return { text, words, numbers }
}
