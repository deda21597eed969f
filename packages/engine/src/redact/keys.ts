import { nextLine, startsWord } from './boundary.ts'
import { alnum, type CharacterSet, characterSet, digit, has, runEnd, slug } from './characters.ts'
import { KEY_PATTERNS } from './key-prefixes.ts'
import type { Shape } from './shape.ts'

interface KeyBody {
  readonly body: CharacterSet
  /** The least number of characters after the literal. */
  readonly least: number
  /** This is true for exactly `least` characters. */
  readonly exact: boolean
}

interface KeyShape extends KeyBody {
  readonly label: string
  readonly literal: string
}

const KEYS: readonly KeyShape[] = KEY_PATTERNS.flatMap(([label, body, least, literals]) =>
  literals.split(' ').map((literal) => ({ label, literal, body, least: Math.abs(least), exact: least < 0 })),
)

export const keyShapes: readonly Shape[] = KEYS.map((shape) => ({
  literal: shape.literal,
  look: (text, start, end) => {
    if (!startsWord(text, start, alnum) || !text.startsWith(shape.literal, start)) return end
    const stop = runEnd(shape.body, text, end)
    const length = stop - end
    if (length < shape.least) {
      const wrapped = wrappedEnd(text, end, stop, shape)
      return wrapped === undefined ? stop : { label: shape.label, start, end: wrapped }
    }
    if (shape.exact && length !== shape.least) return stop
    return has(alnum, text, stop)
      ? stop
      : { label: shape.label, start, end: shape.exact ? stop : restEnd(text, stop, shape.body) }
  },
}))

const LEAST_BEFORE_WRAP = 6
const MOST_LINES = 4
const LONGEST_LINE = 256

/** Finds the end of a key that a terminal or a mail wrapped, when a line ends before the least length. */
export function wrappedEnd(
  text: string,
  from: number,
  to: number,
  { body, least, exact }: KeyBody,
): number | undefined {
  let stop = to
  let key = text.slice(from, to)
  for (let line = 1; line < MOST_LINES && key.length < least; line++) {
    const next = key.length < LEAST_BEFORE_WRAP ? undefined : nextLine(text, stop)
    if (next === undefined) return undefined
    stop = runEnd(body, text, next, next + LONGEST_LINE)
    key += text.slice(next, stop)
  }
  const fits = exact ? key.length === least : key.length >= least
  return fits && !has(alnum, text, stop) && /[0-9]/.test(key) && /[A-Za-z]/.test(key) ? stop : undefined
}

const LEAST_REST = 10
const afterWord = characterSet(' \t\r\n"\'`\\,;)]}<|&')
const endsWord = (text: string, at: number): boolean => at >= text.length || has(afterWord, text, at)

/**
 * Finds the end of a key that has its least length when the line ends. Its real length is unknown, so the
 * next line continues it only if that line looks random.
 */
export function restEnd(text: string, from: number, body: CharacterSet): number {
  let stop = from
  for (let line = 1; line < MOST_LINES; line++) {
    const next = nextLine(text, stop)
    if (next === undefined) return stop
    const end = runEnd(body, text, next, next + LONGEST_LINE)
    const rest = text.slice(next, end)
    const isChance = /[a-z]/.test(rest) && /[A-Z]/.test(rest) && /[0-9]/.test(rest)
    if (rest.length < LEAST_REST || !isChance || !endsWord(text, end) || startsKey(rest)) return stop
    stop = end
  }
  return stop
}

const startsKey = (text: string): boolean =>
  /^(?:sk-|eyJ|SG\.|.{3}\dQ~)/.test(text) || KEYS.some(({ literal }) => text.startsWith(literal))

const NAMED: readonly (readonly [prefix: string, label: string])[] = [
  ['sk-ant-', 'anthropic-key'],
  ['sk-proj-', 'openai-key'],
  ['sk-svcacct-', 'openai-key'],
  ['sk-or-', 'openrouter-key'],
  ['sk-lf-', 'langfuse-key'],
]

/** `sk-` also starts ordinary words (`sk-toggleable-label`), so the rest must look random. */
export const openAiShape: Shape = {
  literal: 'sk-',
  look: (text, start, end) => {
    if (!startsWord(text, start, alnum) || !text.startsWith('sk-', start)) return end
    const stop = runEnd(slug, text, end)
    const named = NAMED.find(([prefix]) => text.startsWith(prefix, start))
    if (named && stop - start >= named[0].length + 16)
      return { label: named[1], start, end: restEnd(text, stop, slug) }
    return hasChancePart(text, end, stop)
      ? { label: 'openai-key', start, end: restEnd(text, stop, alnum) }
      : stop
  },
}

/** Returns true when a part between dashes is long and contains a digit, or is very long. */
function hasChancePart(text: string, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    const stop = runEnd(alnum, text, at, to)
    let digits = 0
    for (let index = at; index < stop; index++) if (has(digit, text, index)) digits += 1
    if (stop - at >= 32 || (stop - at >= 14 && digits > 0)) return true
    at = stop + 1
  }
  return false
}
