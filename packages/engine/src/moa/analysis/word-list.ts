/** A word of a text, and where it stands. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

const WORD = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
const MOST = 20_000
const MOST_CHARACTERS = 200_000

/** Of a very long text the first part is looked at. */
export const looked = (text: string): string =>
  text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text

/** The words of a text in lower case; of a very long one the first. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  for (const found of looked(text).matchAll(WORD)) {
    words.push({ text: found[0].toLowerCase(), from: found.index, to: found.index + found[0].length })
    if (words.length >= MOST) break
  }
  return words
}

/** A text as words and as numbers, one for each different word. */
export interface Numbered {
  readonly text: string
  readonly words: readonly Word[]
  readonly numbers: Uint32Array
}

export type Vocabulary = Map<string, number>

export function numbered(text: string, vocabulary: Vocabulary): Numbered {
  const words = wordsOf(text)
  const numbers = new Uint32Array(words.length)
  for (const [at, word] of words.entries()) {
    const known = vocabulary.get(word.text)
    numbers[at] = known ?? vocabulary.size
    if (known === undefined) vocabulary.set(word.text, vocabulary.size)
  }
  return { text, words, numbers }
}
