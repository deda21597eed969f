import { createContext } from 'react'
import type { MatchRanges } from '../../shell/fuzzy-match.ts'

/** The words of the search, which are highlighted everywhere. */
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

/** Finds the words in a text, ignoring case. */
export function findMarks(text: string, words: readonly string[]): MatchRanges {
  if (words.length === 0) return []
  const found = text.matchAll(new RegExp(words.flatMap(unicodeForms).map(wordPattern).join('|'), 'giu'))
  return [...found].slice(0, MOST_MARKS).map((match) => [match.index, match.index + match[0].length] as const)
}

/** A letter and its accent may be two separate characters. */
const unicodeForms = (word: string): readonly string[] => [...new Set([word, word.normalize('NFD')])]

/** Matches at the start of a word; in scripts without spaces, matches anywhere. */
const wordPattern = (word: string): string =>
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}`
