import { createContext } from 'react'
import type { Marks } from '../../shell/match.ts'

/** The words that were searched, which are marked wherever they stand. */
export const MarkedWords = createContext<readonly string[]>([])

export const wordsIn = (typed: string): readonly string[] =>
  [
    ...new Set(
      typed
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ].sort((a, b) => b.length - a.length)

const MOST_MARKS = 500

/** Where the words stand in a text, in any case. */
export function marksOf(text: string, words: readonly string[]): Marks {
  if (words.length === 0) return []
  const found = text.matchAll(new RegExp(words.flatMap(formsOf).map(patternOf).join('|'), 'giu'))
  return [...found].slice(0, MOST_MARKS).map((match) => [match.index, match.index + match[0].length] as const)
}

/** A letter and its accent may be written as two characters. */
const formsOf = (word: string): readonly string[] => [...new Set([word, word.normalize('NFD')])]

/** A word is found where a word begins; where no spaces are written, anywhere. */
const patternOf = (word: string): string =>
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}`
