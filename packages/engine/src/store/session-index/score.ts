import type { WeighedWord } from './port.ts'
import { foldText, isUnspaced } from './query-parser.ts'

/**
 * BM25 parameters: how soon further mentions of a word add little, and the text length that counts as
 * neutral.
 */
const K = 1.2
const B = 0.6
const USUAL = 800
/** This many positions of a word are examined. */
const MOST_PLACES = 24
/** One word suffices when it carries this share of the weight of all words. */
const TELLING = 0.4

/** Locates a word in a text. */
export interface WordPlace {
  readonly at: number
  readonly word: number
}

export interface TextScore {
  readonly score: number
  /** This is true when it contains more than one of many words, or the most significant one. */
  readonly isAbout: boolean
  readonly places: readonly WordPlace[]
}

/** Scores texts by BM25 over the words of a question. */
export function createScorer(words: readonly WeighedWord[]): (text: string) => TextScore {
  const looked = words.map(({ word, weight }) => ({ word: foldText(word), weight }))
  const enough = TELLING * words.reduce((sum, { weight }) => sum + weight, 0)
  return (text) => {
    const lower = foldText(text)
    const norm = K * (1 - B + (B * text.length) / USUAL)
    const places: WordPlace[] = []
    let [score, matched, weighed] = [0, 0, 0]
    for (const [n, { word, weight }] of looked.entries()) {
      const found = findPlaces(lower, word)
      if (found.length === 0) continue
      matched += 1
      weighed += weight
      score += (weight * found.length * (K + 1)) / (found.length + norm)
      for (const at of found) places.push({ at, word: n })
    }
    return { score, isAbout: matched > 1 || (matched === 1 && weighed >= enough), places }
  }
}

const LETTER = /[\p{L}\p{N}]/u

/** Finds a word where it stands alone. Characters of scripts without spaces match anywhere. */
function findPlaces(lower: string, word: string): readonly number[] {
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
