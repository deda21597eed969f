import { redactText } from '@panoptes/engine/redact'

/** Some text around a quoted position, long enough to recognize secrets in it. */
export interface Quote {
  readonly text: string
  readonly at: number
}

const AROUND = 300
const MOST_QUOTED = 160
/** Half a secret has no recognizable format, but no readable text has a run this long. */
const RUN_ON = /[\w+/=.-]{64,}/g

/** Copies a substring so that it does not keep the whole text in memory. */
export const ownCopy = (text: string): string => Buffer.from(text).toString()

/** Returns the text around a position, from its line only. A word that is cut at its start may be half a secret. */
export function quoteAt(text: string, place: number): Quote {
  const from = Math.max(0, place - AROUND)
  const around = text.slice(from, place + AROUND)
  const line = around.lastIndexOf('\n', place - from - 1) + 1
  const end = around.indexOf('\n', place - from)
  const word = from > 0 && line === 0 ? around.indexOf(' ') : -1
  const isCut = word >= 0 && word < place - from
  const start = isCut ? word : line
  const quote = around.slice(start, end < 0 ? around.length : end)
  return { text: ownCopy(isCut ? `…${quote}` : quote), at: place - from - start + (isCut ? 1 : 0) }
}

/** Formats a quote for storage: redacted and short. */
export function shownQuote({ text, at }: Quote): string {
  const clean = redactText(text).text
  if (clean.trim().length <= MOST_QUOTED || clean !== text) return short(text)
  const from = Math.max(0, Math.min(at - MOST_QUOTED / 2, text.length - MOST_QUOTED))
  return short(text.slice(from, from + MOST_QUOTED).trim())
}

/** Shortens and redacts a text for people. */
export function short(text: string): string {
  const clean = redactText(text.slice(0, 2 * AROUND + MOST_QUOTED))
    .text.replace(RUN_ON, '…')
    .trim()
  return clean.length <= MOST_QUOTED ? clean : `${clean.slice(0, MOST_QUOTED - 1)}…`
}
