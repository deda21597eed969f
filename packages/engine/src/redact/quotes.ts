import { blank, characterSet, has, runEnd } from './characters.ts'

const quote = characterSet('"\'`')
const newline = characterSet('\r\n')
const afterJsonString = characterSet(',:}]\r\n')
const MOST_BACKSLASHES = 8
const MOST_BLANKS = 8

/** An opening quote with the backslashes before it. JSON within JSON escapes a quote more than once. */
export interface OpeningQuote {
  readonly quote: string
  readonly backslashes: number
  /** The start of the content. */
  readonly start: number
}

export function parseOpeningQuote(text: string, at: number): OpeningQuote | undefined {
  let next = at
  while (text[next] === '\\' && next < at + MOST_BACKSLASHES) next += 1
  const found = text[next]
  if (found === undefined || !has(quote, text, next)) return undefined
  return { quote: found, backslashes: next - at, start: next + 1 }
}

/** Returns the position after one quote, escaped or not. */
export const skipQuote = (text: string, at: number): number => parseOpeningQuote(text, at)?.start ?? at

/**
 * Returns the end of the content: at the closing quote, at the end of an enclosing JSON string, or at the end
 * of the line.
 */
export function findClosingQuote(text: string, opened: OpeningQuote, limit = text.length): number {
  const { quote: closing, backslashes } = opened
  const stop = Math.min(limit, text.length)
  let at = opened.start
  while (at < stop && !has(newline, text, at)) {
    const character = text[at]
    if (character === '\\') {
      let run = at
      while (run < stop && text[run] === '\\') run += 1
      if (has(quote, text, run) && closes(run - at, backslashes, text[run] === closing))
        return run - backslashes
      // An odd backslash belongs to the character it escapes.
      at = run + ((run - at) % 2)
      continue
    }
    if (character === closing && backslashes === 0) return at
    if (character === '"' && endsJsonString(text, at)) return at
    at += 1
  }
  return Math.min(at, stop)
}

/** Each level of JSON within JSON doubles the backslashes and adds one for the quote. */
const closes = (run: number, backslashes: number, same: boolean): boolean =>
  same && run % (2 * (backslashes + 1)) === backslashes

/** Returns true when the quote more likely closes the text before it: `["password=", 1]`. */
export const isClosing = (text: string, { quote: opened, start }: OpeningQuote): boolean =>
  endsJsonString(text, start - 1) || parseOpeningQuote(text, start)?.quote === opened

function endsJsonString(text: string, at: number): boolean {
  const next = runEnd(blank, text, at + 1, at + 1 + MOST_BLANKS)
  return next >= text.length || has(afterJsonString, text, next)
}
