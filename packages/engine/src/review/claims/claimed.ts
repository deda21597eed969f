import { type Figure, figuresIn } from './figures.ts'
import { inEnglish } from './units.ts'
import { nounAfter, subjectsOf } from './words.ts'

/** The number that a claim is about, with what it counts and what else its sentence says. */
export interface Claimed {
  readonly figure: Figure
  /** As it was said. */
  readonly text: string
  readonly noun: string | undefined
  /** Where it is said to be a bound, or not quite exact. */
  readonly bound: 'most' | 'least' | 'about' | undefined
  /** What follows it. */
  readonly after: string
  /** Where it may also be read as another number, or has a unit that is not known. */
  readonly isDoubtful: boolean
  /** Other numbers of the same sentence. */
  readonly beside: readonly { readonly figure: Figure; readonly text: string }[]
  readonly subjects: ReadonlySet<string>
}

const MOST_BESIDE = 3
const WORDS: readonly (readonly [string, number])[] = [
  ['half an', 0.5],
  ['half a', 0.5],
  ['a couple of', 2],
  ['an', 1],
  ['a', 1],
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map(
    (word, index) => [word, index + 1] as const,
  ),
  ...[['fifteen', 15] as const, ['twenty', 20] as const, ['thirty', 30] as const],
  ...[['forty', 40] as const, ['fifty', 50] as const, ['sixty', 60] as const],
]
const NAMED = new Map(WORDS)
const SPOKEN = new RegExp(
  `\\b(${WORDS.map(([word]) => word).join('|')})(?: more| whole| full| good| extra)? (?=(\\p{L}{1,40}))`,
  'giu',
)
const TIME = /^(?:seconds?|minutes?|hours?|days?)$/i

/** Numbers that are written as words become digits where something is counted: `two more hours`. */
const inDigits = (phrase: string): string =>
  phrase.replace(SPOKEN, (all, word: string, noun: string) => {
    const isArticle = /^(?:an?|half an?)$/i.test(word)
    if (isArticle && !TIME.test(noun)) return all
    return `${NAMED.get(word.toLowerCase()) ?? word} `
  })

/** The number nearest before the marker: a value ends where its marker begins. */
export function claimedIn(value: string): Claimed | undefined {
  const phrase = phraseOf(value)
  const figures = [...figuresIn(phrase)]
  const figure = figures.at(-1)
  if (figure === undefined) return undefined
  const from = sentenceStart(phrase, figure.at)
  const textOf = ({ at, end }: Figure): string => phrase.slice(at, end).trim()
  return {
    figure,
    text: (phrase[figure.at - 1] === '$' ? '$' : '') + textOf(figure),
    noun: figure.kind === 'plain' ? nounAfter(phrase, figure.end) : undefined,
    bound: boundBefore(phrase.slice(Math.max(0, figure.at - 24), figure.at)),
    after: phrase.slice(figure.end),
    isDoubtful:
      asWritten(value) !== value || OTHER_UNIT.test(phrase.slice(figure.end)) || figure.faceStep === 0.001,
    beside: figures
      .filter((other) => other !== figure && other.at >= from)
      .slice(-MOST_BESIDE)
      .map((other) => ({ figure: other, text: textOf(other) })),
    subjects: subjectsOf(phrase.slice(from)),
  }
}

/** A word without a space, or a size. */
const OTHER_UNIT = /^(?:\p{L}| ?(?:[kKMGTP]i?[bB]|bytes?|bits?)\b)/u

/** `3,2 s` and `1 204 rows`, as many languages have it. */
const asWritten = (phrase: string): string =>
  phrase
    .replace(/(?<![\d.,:/])(\d{1,9}),(\d{1,2})(?![\d,]|\.\d)/g, '$1.$2')
    .replace(
      /(?<![\d.,:/])(\d{1,3})((?: \d{3}){1,4})(?![\d,.:/])/g,
      (_, first: string, rest: string) => first + rest.replaceAll(' ', '_'),
    )

/** A phrase with its numbers in digits and its units in English. */
export const phraseOf = (value: string): string => asWritten(inEnglish(inDigits(value)))

const BOUNDS = [
  [
    'most',
    /(?:under|below|less than|fewer than|at most|up to|within|max(?:imum)?|no more than|<=?|≤) ?\$?$/i,
  ],
  ['least', /(?:over|above|more than|at least|exceeds?|min(?:imum)?|>=?|≥) ?\$?$/i],
  ['about', /(?:about|around|roughly|approx(?:imately|\.)?|nearly|almost|~|≈|ca\.) ?\$?$/i],
] as const

const boundBefore = (before: string): Claimed['bound'] =>
  BOUNDS.find(([, pattern]) => pattern.test(before))?.[0]

const ABOUT = 0.1

/** Whether another number fits what is claimed, where that is a bound. */
export function fits({ figure, bound }: Claimed, value: number): boolean {
  if (bound === 'most') return value <= figure.value
  if (bound === 'least') return value >= figure.value
  return bound === 'about' && Math.abs(value - figure.value) <= ABOUT * figure.value
}

/** Past the last end of a sentence before a place. */
function sentenceStart(phrase: string, at: number): number {
  let start = 0
  for (const end of phrase.slice(0, at).matchAll(/[.!?;\n]\s/g)) start = end.index + 1
  return start
}
