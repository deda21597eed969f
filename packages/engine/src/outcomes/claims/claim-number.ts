import { extractSubjects, nounAfter } from './claim-subjects.ts'
import { type Figure, figuresIn, type Kind } from './figures.ts'

/** The number a claim is about, what it counts, and the rest of its sentence. */
export interface Claimed {
  readonly figure: Figure
  /** The number as it was written. */
  readonly text: string
  readonly noun: string | undefined
  /** Whether it is a bound or approximate. */
  readonly bound: 'most' | 'least' | 'about' | undefined
  /** The text after it. */
  readonly after: string
  /** True if it may be read as another number or has an unknown unit. */
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

/**
 * Wanted numbers of one kind and precision. `bare` numbers have no unit, `lone` ones no word
 * either, and `face` ones may have both.
 */
interface Lane {
  readonly kind: Kind | 'bare' | 'lone' | 'face'
  readonly step: number | null
  readonly values: Map<number, number>
}

/** Replaces number words by digits where something is counted: `two more hours`. */
const inDigits = (phrase: string): string =>
  phrase.replace(SPOKEN, (all, word: string, noun: string) => {
    const isArticle = /^(?:an?|half an?)$/i.test(word)
    if (isArticle && !TIME.test(noun)) return all
    return `${NAMED.get(word.toLowerCase()) ?? word} `
  })

/** Returns the last number before the marker, because a value ends where its marker begins. */
export function claimedIn(value: string): Claimed | undefined {
  const phrase = normalizePhrase(value)
  const figures = [...figuresIn(phrase)]
  const figure = figures.at(-1)
  if (figure === undefined) return undefined
  const from = sentenceStart(phrase, figure.at)
  const figureText = ({ at, end }: Figure): string => phrase.slice(at, end).trim()
  return {
    figure,
    text: (phrase[figure.at - 1] === '$' ? '$' : '') + figureText(figure),
    noun: figure.kind === 'plain' ? nounAfter(phrase, figure.end) : undefined,
    bound: boundBefore(phrase.slice(Math.max(0, figure.at - 24), figure.at)),
    after: phrase.slice(figure.end),
    isDoubtful:
      asWritten(value) !== value || OTHER_UNIT.test(phrase.slice(figure.end)) || figure.faceStep === 0.001,
    beside: figures
      .filter((other) => other !== figure && other.at >= from)
      .slice(-MOST_BESIDE)
      .map((other) => ({ figure: other, text: figureText(other) })),
    subjects: extractSubjects(phrase.slice(from)),
  }
}

/** A word without a space, or a unit of size. */
const OTHER_UNIT = /^(?:\p{L}| ?(?:[kKMGTP]i?[bB]|bytes?|bits?)\b)/u

/** Reads `3,2 s` and `1 204 rows`, as many languages write them. */
const asWritten = (phrase: string): string =>
  phrase
    .replace(/(?<![\d.,:/])(\d{1,9}),(\d{1,2})(?![\d,]|\.\d)/g, '$1.$2')
    .replace(
      /(?<![\d.,:/])(\d{1,3})((?: \d{3}){1,4})(?![\d,.:/])/g,
      (_, first: string, rest: string) => first + rest.replaceAll(' ', '_'),
    )

/** Converts number words to digits and units to English. */
export const normalizePhrase = (value: string): string => asWritten(inEnglish(inDigits(value)))

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

/** True if another number fits the claim, respecting a bound. */
export function fits({ figure, bound }: Claimed, value: number): boolean {
  if (bound === 'most') return value <= figure.value
  if (bound === 'least') return value >= figure.value
  return bound === 'about' && Math.abs(value - figure.value) <= ABOUT * figure.value
}

/** Returns the position after the last end of a sentence. */
function sentenceStart(phrase: string, at: number): number {
  let start = 0
  for (const end of phrase.slice(0, at).matchAll(/[.!?;\n]\s/g)) start = end.index + 1
  return start
}

/**
 * Units of time in other languages. Those in Chinese, Japanese and Korean follow without a space.
 */
const UNITS: readonly (readonly [unit: string, spaced: string, unspaced: string])[] = [
  [
    'ms',
    'мс|миллисекунд[аы]?|Millisekunden?|milisegundos?|millisecondes?|millisecondi',
    '毫秒|ミリ秒|밀리초',
  ],
  [
    's',
    'сек|секунд[аыу]?|с(?=\\s*(?:$|[.,;)]))|Sek|Sekunden?|segundos?|secondes?|secondi',
    '秒钟|秒鐘|秒間|秒|초',
  ],
  ['min', 'мин|минут[аыу]?|Minuten?|minutos?|minuti', '分钟|分鐘|分間|분'],
  ['h', 'ч|час(?:а|ов)?|Stunden?|Std|horas?|heures?', '(?:个|個)?小时|(?:個)?小時|時間|시간'],
  ['days', 'дн(?:я|ей)|день|Tagen?|días?|dias?|jours?|giorni', '天|日間'],
]
const NAMES = new RegExp(
  `(?<=\\d)[ \\u00a0\\u202f]?(?:${UNITS.map(([, spaced, unspaced]) => `((?:${spaced})(?![\\p{L}\\d])|${unspaced})`).join('|')})`,
  'giu',
)

/** Converts units of time after numbers to English. */
const inEnglish = (phrase: string): string =>
  phrase.replace(NAMES, (all, ...groups: readonly unknown[]) => {
    const at = groups.slice(0, UNITS.length).findIndex((group) => group !== undefined)
    const unit = UNITS[at]?.[0]
    return unit === undefined ? all : ` ${unit} `
  })

/** The numbers of a session's claims, indexed so that a text is scanned once for all of them. */
export class Sought {
  readonly #lanes: Lane[] = []
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Adds a number and returns its marks. A count is not found by a number with a unit. */
  add(figure: Figure, counts: boolean): readonly number[] {
    const { kind, value, face, step, faceStep, hasUnit } = figure
    if (kind === 'plain' && !hasUnit) return [this.#mark(counts ? 'bare' : 'face', faceStep, face)]
    if (kind === 'plain') return [this.#mark(kind, step, value)]
    return [
      this.#mark(kind, step, value),
      this.#mark('lone', faceStep, face),
      // A number without a unit may use another one: `timeout = 30_000`.
      ...(kind === 'duration'
        ? [this.#mark('lone', null, value), this.#mark('lone', null, value / 1_000)]
        : []),
      ...(kind === 'percent' ? [this.#mark('lone', (faceStep ?? 1) / 100, face / 100)] : []),
    ]
  }

  /** Calls back with the marks that a number of a text matches. */
  forEachMark(figure: Figure, heard: (mark: number) => void): void {
    for (const { kind, step, values } of this.#lanes) {
      const value = valueFor(kind, figure)
      if (value === undefined) continue
      const mark = values.get(roundToSteps(value, step))
      if (mark !== undefined) heard(mark)
    }
  }

  #mark(kind: Lane['kind'], step: number | null, value: number): number {
    let lane = this.#lanes.find((each) => each.kind === kind && each.step === step)
    if (lane === undefined) {
      lane = { kind, step, values: new Map() }
      this.#lanes.push(lane)
    }
    const key = roundToSteps(value, step)
    const existing = lane.values.get(key)
    if (existing !== undefined) return existing
    lane.values.set(key, this.#count)
    this.#count += 1
    return this.#count - 1
  }
}

function valueFor(kind: Lane['kind'], figure: Figure): number | undefined {
  if (kind === 'face') return figure.face
  if (kind === 'bare') return figure.hasUnit ? undefined : figure.face
  if (kind === 'lone') return figure.isLone ? figure.face : undefined
  return figure.kind === kind ? figure.value : undefined
}

const roundToSteps = (value: number, step: number | null): number =>
  step === null ? value : Math.round(value / step + 1e-9)
