import { ownCopy, type Quote, quoteAt } from '../tool-calls/quote.ts'
import { parseTestResult, type TestResult } from '../tool-calls/test-result.ts'
import type { Sought } from './claim-number.ts'
import { nounAfter } from './claim-subjects.ts'
import { type Figure, figuresIn, type Kind } from './figures.ts'

/** A value that occurs once, or several times. */
interface Single {
  readonly value: number
  readonly quote: Quote
  isOnly: boolean
}

interface Some {
  readonly figure: Figure
  readonly text: string
  /** True if it is a time or the key of a row. */
  readonly isLabel: boolean
}

/** The wanted numbers that a text contains. The text itself is not stored. */
export interface Digest {
  /** Where each mark was found. */
  readonly found: ReadonlyMap<number, Quote | undefined>
  /** The numbers before each wanted noun. */
  readonly counted: ReadonlyMap<string, Single>
  readonly measured: ReadonlyMap<Kind, Single>
  /** Number of lines that are not empty. */
  readonly lines: number
  /** Its first numbers. */
  readonly some: readonly Some[]
  readonly tests: TestResult | undefined
}

/** The maximum number of quotes per text. */
const MOST_QUOTES = 16
export const MOST_SOME = 16
const LABEL =
  /["'](?:ts|time|timestamp|date|at|\w{1,30}_at|n|id|seq|row|line|place|v|version)["']\s{0,4}:\s{0,4}$/i
/** A larger number is a timestamp. */
const STAMP = 1_000_000_000

export interface Digesting {
  readonly sought: Sought
  /** The nouns that claims count. */
  readonly nouns: ReadonlySet<string>
}

/** Scans a text of any length once. */
export function digestText(text: string, { sought, nouns }: Digesting, isRun: boolean): Digest {
  const found = new Map<number, Quote | undefined>()
  const counted = new Map<string, Single>()
  const measured = new Map<Kind, Single>()
  const some: Some[] = []
  if (!sought.isEmpty) {
    for (const figure of figuresIn(text)) {
      sought.forEachMark(figure, (mark) => {
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
    tests: isRun ? parseTestResult(text) : undefined,
  }
}

function note<K>(singles: Map<K, Single>, key: K, value: number, text: string, at: number): void {
  const existing = singles.get(key)
  if (existing === undefined) singles.set(key, { value, quote: quoteAt(text, at), isOnly: true })
  else if (existing.value !== value) existing.isOnly = false
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
