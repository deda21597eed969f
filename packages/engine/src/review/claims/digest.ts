import { ownCopy, type Quote, quoteAt } from '../ran/quote.ts'
import { type TestResult, testResultOf } from '../ran/test-result.ts'
import { type Figure, figuresIn, type Kind } from './figures.ts'
import type { Sought } from './sought.ts'
import { nounAfter } from './words.ts'

/** A value that a text has once, or not only once. */
interface Single {
  readonly value: number
  readonly quote: Quote
  isOnly: boolean
}

interface Some {
  readonly figure: Figure
  readonly text: string
  /** It is a time, or what a row goes by. */
  readonly isLabel: boolean
}

/** What a text says of the numbers that are looked for. The text itself is not kept. */
export interface Digest {
  /** Where the numbers stand that were found, by their marks. */
  readonly found: ReadonlyMap<number, Quote | undefined>
  /** By what is counted, where that is looked for. */
  readonly counted: ReadonlyMap<string, Single>
  readonly measured: ReadonlyMap<Kind, Single>
  /** Lines with something in them. */
  readonly lines: number
  /** Its first numbers. */
  readonly some: readonly Some[]
  readonly tests: TestResult | undefined
}

/** Found numbers of one text that are quoted. */
const MOST_QUOTES = 16
export const MOST_SOME = 16
const LABEL =
  /["'](?:ts|time|timestamp|date|at|\w{1,30}_at|n|id|seq|row|line|place|v|version)["']\s{0,4}:\s{0,4}$/i
/** A number that is larger is a time. */
const STAMP = 1_000_000_000

export interface Digesting {
  readonly sought: Sought
  /** What claims count. */
  readonly nouns: ReadonlySet<string>
}

/** Goes over a text once, however long. */
export function digestOf(text: string, { sought, nouns }: Digesting, isRun: boolean): Digest {
  const found = new Map<number, Quote | undefined>()
  const counted = new Map<string, Single>()
  const measured = new Map<Kind, Single>()
  const some: Some[] = []
  if (!sought.isEmpty) {
    for (const figure of figuresIn(text)) {
      sought.marksOf(figure, (mark) => {
        if (!found.has(mark)) found.set(mark, found.size < MOST_QUOTES ? quoteAt(text, figure.at) : undefined)
      })
      if (some.length < MOST_SOME)
        some.push({
          figure,
          text: ownCopy(text.slice(figure.at, figure.end).trim()),
          isLabel:
            (figure.kind === 'plain' && figure.value >= STAMP) ||
            LABEL.test(text.slice(Math.max(0, figure.at - 48), figure.at)),
        })
      if (figure.kind !== 'plain') note(measured, figure.kind, figure.value, text, figure.at)
      else if (nouns.size > 0) {
        const noun = nounAfter(text, figure.end)
        if (noun !== undefined && nouns.has(noun)) note(counted, noun, figure.value, text, figure.at)
      }
    }
  }
  return {
    found,
    counted,
    measured,
    lines: linesIn(text),
    some,
    tests: isRun ? testResultOf(text) : undefined,
  }
}

function note<K>(singles: Map<K, Single>, key: K, value: number, text: string, at: number): void {
  const known = singles.get(key)
  if (known === undefined) singles.set(key, { value, quote: quoteAt(text, at), isOnly: true })
  else if (known.value !== value) known.isOnly = false
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    if (end > at) lines += 1
    at = end + 1
  }
  return lines
}
