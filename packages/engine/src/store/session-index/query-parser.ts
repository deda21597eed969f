import { isStopWord } from './stop-words.ts'

/**
 * Chinese, Japanese and Korean are written without spaces, so their runs are indexed as pairs of characters.
 */
const CJK = /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d]+/g
const HAS_CJK =
  /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d]/

/**
 * Converts text for the index: letters are composed, symbols are separated from words, and every run of such
 * characters becomes its pairs.
 */
export function indexText(text: string): string {
  const whole = removeSymbols(composeText(text))
  return HAS_CJK.test(whole) ? whole.replace(CJK, (run) => ` ${toPairs(run).join(' ')} `) : whole
}

/** Most texts contain no such character and need no conversion. */
const MAY_HAVE_MARKS = /[\u0300-\uffff]/
const MARKS = /[\u0300-\u036f]+/g

/**
 * A letter and its accent may be two characters. If no composed character exists, the search uses the letter
 * alone.
 */
const composeText = (text: string): string =>
  MAY_HAVE_MARKS.test(text) ? text.normalize('NFC').replace(MARKS, '') : text

/**
 * Symbols that are separated from words. FTS5 treats every character that its old Unicode version does not
 * know as a letter, and so would join a newer emoji with the word beside it. Code points reserved for future
 * emoji already count as pictographic. The list also has the marks of Kana. The digit of a keycap is part of
 * the emoji.
 */
const SYMBOL =
  /[[\p{S}\p{Extended_Pictographic}\u{1f000}-\u{1faff}\u{1fc00}-\u{1fffd}\u{e0000}-\u{e007f}]--[\p{ASCII}\u3040-\u30ff]]+|[0-9#*]\ufe0f?\u20e3/gv

const removeSymbols = (text: string): string => (MAY_HAVE_MARKS.test(text) ? text.replace(SYMBOL, ' ') : text)

function toPairs(run: string): readonly string[] {
  if (run.length === 1) return [run]
  const pairs: string[] = []
  for (let at = 0; at + 1 < run.length; at += 1) pairs.push(run.slice(at, at + 2))
  return pairs
}

const MOST_WORDS = 32
/** Matches a word as the index sees it. */
const WORD = /[\p{L}\p{N}\p{Co}]+/gu
const PHRASE = /"([^"]*)"|(\S+)/g

/** A query as a person typed it: phrases of adjacent words, all of which have to occur. */
export interface Typed {
  readonly phrases: readonly string[]
  /** This is true when the last word may be the beginning of one, because it is still being typed. */
  readonly isOpen: boolean
}

/** Returns undefined when the text has no words. */
export function parseTyped(typed: string): Typed | undefined {
  const phrases: string[] = []
  for (const [, quoted, plain] of typed.slice(0, 1_000).matchAll(PHRASE)) {
    const words = splitWords(quoted ?? plain ?? '')
    if (words.length === 0) continue
    phrases.push(words.join(' '))
    if (phrases.length >= MOST_WORDS) break
  }
  return phrases.length === 0 ? undefined : { phrases, isOpen: !/["\s]$/.test(typed) }
}

/** Builds an FTS5 query in which nothing that was typed acts as query syntax. */
export function toFtsQuery(typed: string): string | undefined {
  const parsed = parseTyped(typed)
  if (parsed === undefined) return undefined
  return parsed.phrases.map((phrase) => `"${phrase}"`).join(' ') + (parsed.isOpen ? ' *' : '')
}

/** A single character may be either half of a pair, so it is searched as the beginning of one. */
const splitWords = (text: string): readonly string[] => indexText(text).match(WORD) ?? []

/**
 * This many characters of a long text are read: from its beginning and from its end, where the question often
 * is.
 */
const MOST_READ = 16_000
const MOST_SIGNIFICANT = 24
const LONGEST_WORD = 64

/**
 * Picks the words of a text that may tell what it is about, in the form that the index stores. Single letters
 * and digits are skipped; of very many words it takes the longest and most frequent.
 */
export function significantWords(text: string): readonly string[] {
  const read =
    text.length <= MOST_READ ? text : `${text.slice(0, MOST_READ / 2)} ${text.slice(-MOST_READ / 2)}`
  const counts = new Map<string, number>()
  for (const word of splitWords(read.toLowerCase()))
    if (word.length <= LONGEST_WORD && !isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const longer = [...counts.keys()].filter((word) => word.length > 1)
  const words = longer.length > 0 ? longer : [...counts.keys()].filter((word) => HAS_CJK.test(word))
  if (words.length <= MOST_SIGNIFICANT) return words
  const wordWeight = (word: string) => Math.min(word.length, 12) + 2 * Math.min(counts.get(word) ?? 0, 4)
  return words.sort((a, b) => wordWeight(b) - wordWeight(a)).slice(0, MOST_SIGNIFICANT)
}

const ACCENTED = /[\u00c0-\u024f\u0370-\u04ff\u1e00-\u1fff]/g

/**
 * Folds a text for searching the way the index does: lower case without accents, with every character at its
 * position in the composed text.
 */
export const foldText = (text: string): string =>
  text.toLowerCase().replace(ACCENTED, (letter) => letter.normalize('NFD').slice(0, 1))

/** Returns whether a word belongs to a script that is written without spaces. */
export const isUnspaced = (word: string): boolean => HAS_CJK.test(word)
