import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { SharedPhrase, TurnAnalysis } from '@panoptes/schema'

/** A word of a text and its position. */
interface Word {
  readonly text: string
  readonly from: number
  readonly to: number
}

const WORD = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
const MOST_WORDS_OF_TEXT = 20_000
const MOST_CHARACTERS = 200_000

/**
 * Measures how similar the texts of a turn are. It compares words and cannot prove where they came
 * from. It yields to other work between any two texts.
 */
export async function analyse(answer: string, references: readonly (string | null)[]): Promise<TurnAnalysis> {
  const vocabulary: Vocabulary = new Map()
  const answerWords = numberWords(answer, vocabulary)
  const phrases: (readonly SharedPhrase[])[] = []
  const sentences: Sentence[] = []
  for (const [at, text] of references.entries()) {
    await yieldToOthers()
    phrases.push(text === null ? [] : findSharedPhrases(answerWords, numberWords(text, vocabulary), at))
    await yieldToOthers()
    if (text !== null) sentences.push(...splitSentences(text, at))
  }
  const points = await findPoints(sentences, references.length)
  return {
    drew_on: phrases.map((own) => computeCoverage(answerWords, own)),
    phrases: phrases.flat(),
    points: [...points],
    says: summarizePoints(points, references.filter((text) => text !== null).length),
  }
}

function summarizePoints(points: readonly TurnAnalysis['points'][number][], answered: number): string {
  const opposed = points.filter(({ stances }) => stances.includes('opposes')).length
  const most = Math.max(
    0,
    ...points.map(({ stances }) => stances.filter((stance) => stance === 'says').length),
  )
  if (answered < 2) return 'Nothing to compare'
  if (most < 2) return 'No two references agree'
  const against =
    opposed === 0 ? '' : `, ${opposed === 1 ? '1 point is' : `${opposed} points are`} contradicted`
  return `${most} of ${answered} agree${against}`
}

/** The minimum length of a phrase, in words. */
const LEAST = 4
/** The maximum number of places compared per phrase. */
const MOST_PLACES = 8

/**
 * Finds the runs of four or more words that an answer shares with a reference. Each part of the
 * answer is used once.
 */
function findSharedPhrases(answer: Numbered, reference: Numbered, at: number): readonly SharedPhrase[] {
  const places = indexPhrases(reference.numbers)
  const phrases: SharedPhrase[] = []
  for (let from = 0; from + LEAST <= answer.words.length; ) {
    const longest = findLongestMatch(answer.numbers, from, reference.numbers, places)
    if (longest === undefined) {
      from += 1
      continue
    }
    const [start, end] = [answer.words[from], answer.words[from + longest.length - 1]]
    const { place, length } = longest
    const [first, last] = [reference.words[place], reference.words[place + length - 1]]
    if (start && end && first && last)
      phrases.push({
        reference: at,
        text: answer.text.slice(start.from, end.to),
        answer_from: start.from,
        answer_to: end.to,
        reference_from: first.from,
        reference_to: last.to,
      })
    from += length
  }
  return phrases
}

function indexPhrases(numbers: Uint32Array): ReadonlyMap<number, readonly number[]> {
  const places = new Map<number, number[]>()
  for (let at = 0; at + LEAST <= numbers.length; at += 1) {
    const key = hashPhrase(numbers, at)
    const existing = places.get(key)
    if (existing === undefined) places.set(key, [at])
    else if (existing.length < MOST_PLACES) existing.push(at)
  }
  return places
}

const MIX = 0x9e_37_79_b1

/** Returns a hash for a phrase. Hashes can collide, so callers compare the words as well. */
function hashPhrase(numbers: Uint32Array, at: number): number {
  let key = 0
  for (let n = at; n < at + LEAST; n += 1) {
    key = Math.imul(key ^ (numbers[n] ?? 0), MIX)
    key ^= key >>> 15
  }
  return key
}

function findLongestMatch(
  answer: Uint32Array,
  from: number,
  advised: Uint32Array,
  places: ReadonlyMap<number, readonly number[]>,
): { readonly place: number; readonly length: number } | undefined {
  let best: { place: number; length: number } | undefined
  for (const place of places.get(hashPhrase(answer, from)) ?? []) {
    let length = 0
    while (
      from + length < answer.length &&
      place + length < advised.length &&
      answer[from + length] === advised[place + length]
    )
      length += 1
    if (length >= LEAST && (best === undefined || length > best.length)) best = { place, length }
  }
  return best
}

/**
 * Returns the share of an answer's words that these phrases cover. The phrases must be in the order
 * of the answer.
 */
function computeCoverage({ words }: Numbered, phrases: readonly SharedPhrase[]): number {
  if (words.length === 0) return 0
  let held = 0
  let at = 0
  for (const { from, to } of words) {
    while ((phrases[at]?.answer_to ?? Number.POSITIVE_INFINITY) < to) at += 1
    if (from >= (phrases[at]?.answer_from ?? Number.POSITIVE_INFINITY)) held += 1
  }
  return held / words.length
}

type Point = TurnAnalysis['points'][number]
type Stance = Point['stances'][number]

const MOST_SENTENCES = 40
const MOST_POINTS = 8
const LONGEST = 120
/** Only this many words of a sentence are compared. */
const MOST_WORDS = 60
const MOST_PARTS = 2_000
/** Number of sentences that are compared with all others before the loop yields. */
const AT_ONCE = 20
/**
 * Two sentences that share at least this part of their words count as being about the same point.
 */
const MIN_SIMILARITY = 0.34

const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an the and or but if then so of to in on at by for with from as is are was were be been it its this that these those you your we our they their i he she will would should could can may might must do does did have has had there here what which who when how why all any some more most very just also only into than them him her his up out over after before about'.split(
    ' ',
  ),
)
const NEGATIONS: ReadonlySet<string> = new Set(
  "not no never without avoid cannot can't don't doesn't didn't isn't aren't wasn't won't shouldn't wouldn't mustn't unsafe wrong incorrect false nobody nothing neither nor".split(
    ' ',
  ),
)

/** A sentence and the reference it came from. */
interface Sentence {
  readonly reference: number
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly isAgainst: boolean
}

/**
 * Finds the points the references make, the most common first, and for each point who agrees, who
 * contradicts and who is silent.
 */
async function findPoints(all: readonly Sentence[], references: number): Promise<readonly Point[]> {
  const groups: Sentence[][] = []
  for (const [at, sentence] of all.entries()) {
    if (at % AT_ONCE === 0) await yieldToOthers()
    const group = groups.find(
      ([first]) => first !== undefined && computeSimilarity(first.words, sentence.words) >= MIN_SIMILARITY,
    )
    if (group) group.push(sentence)
    else groups.push([sentence])
  }
  return groups
    .map((group) => toPoint(group, references))
    .sort((a, b) => countStances(b) - countStances(a))
    .slice(0, MOST_POINTS)
}

const countStances = ({ stances }: Point): number => stances.filter((stance) => stance !== 'silent').length

/** Splits a reference's text into sentences. Only the beginning of a long text is used. */
function splitSentences(text: string, reference: number): readonly Sentence[] {
  const sentences: Sentence[] = []
  for (const part of limitText(text).split(/(?<=[.!?。])\s+|\n+/, MOST_PARTS)) {
    const words = extractWords(part)
      .slice(0, MOST_WORDS)
      .map((word) => word.text)
    const full = words.filter((word) => !STOP_WORDS.has(word) && !NEGATIONS.has(word))
    if (full.length < 3) continue
    const isAgainst = words.filter((word) => NEGATIONS.has(word)).length % 2 === 1
    const line = part.replace(/^[\s#*>-]+/, '').trim()
    const short = line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
    sentences.push({ reference, text: short, words: new Set(full.map(stem)), isAgainst })
    if (sentences.length >= MOST_SENTENCES) break
  }
  return sentences
}

/** Maps `writes`, `writing` and `write` to the same stem. */
const stem = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word)

function computeSimilarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0
  for (const word of a) if (b.has(word)) both += 1
  return both / (a.size + b.size - both)
}

function toPoint(group: readonly Sentence[], references: number): Point {
  const isAgainst = group[0]?.isAgainst ?? false
  const stances = Array.from({ length: references }, (_, at): Stance => {
    const own = group.filter(({ reference }) => reference === at)
    if (own.length === 0) return 'silent'
    return own.some((sentence) => sentence.isAgainst === isAgainst) ? 'says' : 'opposes'
  })
  return { text: group[0]?.text ?? '', stances }
}

/** Only the beginning of a very long text is compared. */
const limitText = (text: string): string =>
  text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : text

/** Returns the words of a text in lower case; for a very long text, only those of its beginning. */
function extractWords(text: string): readonly Word[] {
  const words: Word[] = []
  for (const found of limitText(text).matchAll(WORD)) {
    words.push({ text: found[0].toLowerCase(), from: found.index, to: found.index + found[0].length })
    if (words.length >= MOST_WORDS_OF_TEXT) break
  }
  return words
}

/** A text as words and as numbers, with one number per distinct word. */
interface Numbered {
  readonly text: string
  readonly words: readonly Word[]
  readonly numbers: Uint32Array
}

type Vocabulary = Map<string, number>

function numberWords(text: string, vocabulary: Vocabulary): Numbered {
  const words = extractWords(text)
  const numbers = new Uint32Array(words.length)
  for (const [at, word] of words.entries()) {
    const existing = vocabulary.get(word.text)
    numbers[at] = existing ?? vocabulary.size
    if (existing === undefined) vocabulary.set(word.text, vocabulary.size)
  }
  return { text, words, numbers }
}
