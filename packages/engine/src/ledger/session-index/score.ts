import type { WeighedWord } from './port.ts'
import { folded, isUnspaced } from './words.ts'

/** How soon a further mention of a word says little, and how long a text is that says neither more nor less by its length. */
const K = 1.2
const B = 0.6
const USUAL = 800
/** Places of a word that are looked at. */
const MOST_PLACES = 24
/** One word is enough where it says so much of what all of them do. */
const TELLING = 0.4

/** Where a word is in a text. */
export interface WordPlace {
  readonly at: number
  readonly word: number
}

export interface TextScore {
  readonly score: number
  /** Whether it has more than one of many words, or the one that says most. */
  readonly isAbout: boolean
  readonly places: readonly WordPlace[]
}

/** BM25 of texts over the words of a question. */
export function scorerOf(words: readonly WeighedWord[]): (text: string) => TextScore {
  const looked = words.map(({ word, weight }) => ({ word: folded(word), weight }))
  const enough = TELLING * words.reduce((sum, { weight }) => sum + weight, 0)
  return (text) => {
    const lower = folded(text)
    const norm = K * (1 - B + (B * text.length) / USUAL)
    const places: WordPlace[] = []
    let [score, met, weighed] = [0, 0, 0]
    for (const [n, { word, weight }] of looked.entries()) {
      const found = placesOf(lower, word)
      if (found.length === 0) continue
      met += 1
      weighed += weight
      score += (weight * found.length * (K + 1)) / (found.length + norm)
      for (const at of found) places.push({ at, word: n })
    }
    return { score, isAbout: met > 1 || (met === 1 && weighed >= enough), places }
  }
}

const LETTER = /[\p{L}\p{N}]/u

/** Where a word stands by itself; characters that are written without spaces, anywhere. */
function placesOf(lower: string, word: string): readonly number[] {
  const places: number[] = []
  const alone = !isUnspaced(word)
  for (
    let at = lower.indexOf(word);
    at >= 0 && places.length < MOST_PLACES;
    at = lower.indexOf(word, at + word.length)
  ) {
    const before = lower[at - 1]
    const after = lower[at + word.length]
    const isPart =
      (before !== undefined && LETTER.test(before)) || (after !== undefined && LETTER.test(after))
    if (!alone || !isPart) places.push(at)
  }
  return places
}
