import { isStopWord } from './stop-words.ts'

/** Chinese, Japanese and Korean are written without spaces: runs of them are found by pairs of characters. */
const CJK = /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d]+/g
const HAS_CJK =
  /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d]/

/** The text as the index takes it: letters in one piece, and every run of such characters as its pairs. */
export function indexText(text: string): string {
  const whole = composed(text)
  return HAS_CJK.test(whole) ? whole.replace(CJK, (run) => ` ${pairsOf(run).join(' ')} `) : whole
}

/** Most texts are told by this to need nothing. */
const MAY_HAVE_MARKS = /[\u0300-\uffff]/
const MARKS = /[\u0300-\u036f]+/g

/** A letter and its accent may be written as two characters. Where there is none for both, the letter alone is looked for. */
const composed = (text: string): string =>
  MAY_HAVE_MARKS.test(text) ? text.normalize('NFC').replace(MARKS, '') : text

function pairsOf(run: string): readonly string[] {
  if (run.length === 1) return [run]
  const pairs: string[] = []
  for (let at = 0; at + 1 < run.length; at += 1) pairs.push(run.slice(at, at + 2))
  return pairs
}

const MOST_WORDS = 32
/** What the index takes for a word. */
const WORD = /[\p{L}\p{N}\p{Co}]+/gu
const PHRASE = /"([^"]*)"|(\S+)/g

/** What a person typed: words that have to stand next to each other, all of them somewhere. */
export interface Typed {
  readonly phrases: readonly string[]
  /** The last word may be the beginning of one while it is being typed. */
  readonly isOpen: boolean
}

/** Nothing for no words. */
export function typedOf(typed: string): Typed | undefined {
  const phrases: string[] = []
  for (const [, quoted, plain] of typed.slice(0, 1_000).matchAll(PHRASE)) {
    const words = wordsOf(quoted ?? plain ?? '')
    if (words.length === 0) continue
    phrases.push(words.join(' '))
    if (phrases.length >= MOST_WORDS) break
  }
  return phrases.length === 0 ? undefined : { phrases, isOpen: !/["\s]$/.test(typed) }
}

/** As a query of FTS5: nothing of what was typed is taken for the query's own language. */
export function queryOf(typed: string): string | undefined {
  const asked = typedOf(typed)
  if (asked === undefined) return undefined
  return asked.phrases.map((phrase) => `"${phrase}"`).join(' ') + (asked.isOpen ? ' *' : '')
}

/** One character of a run may be any part of a pair: it is looked for as the beginning of one. */
const wordsOf = (text: string): readonly string[] => indexText(text).match(WORD) ?? []

/** What is read of a long text: its beginning, and the end of it, where the question often is. */
const MOST_READ = 16_000
const MOST_SIGNIFICANT = 24
const LONGEST_WORD = 64

/**
 * The words of a text that may say what it is about, as the index has them: one letter or digit says nothing, and of very many the
 * longest and the most frequent are taken.
 */
export function significantWords(text: string): readonly string[] {
  const read =
    text.length <= MOST_READ ? text : `${text.slice(0, MOST_READ / 2)} ${text.slice(-MOST_READ / 2)}`
  const counts = new Map<string, number>()
  for (const word of wordsOf(read.toLowerCase()))
    if (word.length <= LONGEST_WORD && !isStopWord(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const longer = [...counts.keys()].filter((word) => word.length > 1)
  const words = longer.length > 0 ? longer : [...counts.keys()].filter((word) => HAS_CJK.test(word))
  if (words.length <= MOST_SIGNIFICANT) return words
  const weightOf = (word: string) => Math.min(word.length, 12) + 2 * Math.min(counts.get(word) ?? 0, 4)
  return words.sort((a, b) => weightOf(b) - weightOf(a)).slice(0, MOST_SIGNIFICANT)
}

const ACCENTED = /[\u00c0-\u024f\u0370-\u04ff\u1e00-\u1fff]/g

/** A text to look for words in, as the index would: small letters without their accents, each where it was in the composed text. */
export const folded = (text: string): string =>
  text.toLowerCase().replace(ACCENTED, (letter) => letter.normalize('NFD').slice(0, 1))

/** Whether a word is written without spaces around it. */
export const isUnspaced = (word: string): boolean => HAS_CJK.test(word)
