/** A word of a text, and where it stands. */
export interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

const WORD = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
const MOST = 20_000

/** The words of a text in lower case; of a very long one the first. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  for (const found of text.matchAll(WORD)) {
    words.push({ text: found[0].toLowerCase(), from: found.index, to: found.index + found[0].length })
    if (words.length >= MOST) break
  }
  return words
}
