import { redactText } from '@panoptes/engine/redact'

/** Only this many characters of a command are examined. */
const MOST = 65_536
/** The maximum number of commands per line and words per command. */
const MOST_COMMANDS = 512
const MOST_WORDS = 256

/** One simple command of a line, as words without quotes. */
export type Simple = readonly string[]

/** Some text around a quoted position, long enough to recognize secrets in it. */
export interface Quote {
  readonly text: string
  readonly at: number
}

const AROUND = 300
const MOST_QUOTED = 160
/** Half a secret has no recognizable format, but no readable text has a run this long. */
const RUN_ON = /[\w+/=.-]{64,}/g

/**
 * Splits a shell line into simple commands. It knows quotes, escapes, comments and heredocs
 * (`<<EOF`), but no variables or loops: enough to distinguish what is run from what is only
 * mentioned. One pass.
 */
export function simpleCommands(line: string): readonly Simple[] {
  const text = line.slice(0, MOST)
  const made: Simple[] = []
  let words: string[] = []
  let word: string | undefined
  let heredocs: string[] = []
  let at = 0

  const endWord = (): void => {
    if (word !== undefined && words.length < MOST_WORDS) words.push(word)
    word = undefined
  }
  const endCommand = (): void => {
    endWord()
    if (words.length > 0) made.push(words)
    words = []
  }

  while (at < text.length && made.length < MOST_COMMANDS) {
    const sign = text[at] as string
    if (sign === '\\') {
      if (text[at + 1] !== '\n') word = (word ?? '') + (text[at + 1] ?? '')
      at += 2
    } else if (sign === "'" || sign === '"') {
      const end = quoteEnd(text, at)
      word = (word ?? '') + text.slice(at + 1, end)
      at = end + 1
    } else if (sign === '#' && word === undefined) {
      at = lineEnd(text, at)
    } else if (sign === '<' && text[at + 1] === '<' && text[at + 2] !== '<') {
      endWord()
      const named = /^<<-?[ \t]{0,8}['"]?([\w.-]{1,64})/.exec(text.slice(at, at + 80))
      if (named?.[1] !== undefined) heredocs.push(named[1])
      at += named?.[0].length ?? 2
      if (text[at] === "'" || text[at] === '"') at += 1
    } else if (sign === '\n') {
      endCommand()
      at += 1
      for (const end of heredocs) at = skipHeredoc(text, at, end)
      heredocs = []
    } else if (sign === ';' || sign === '|' || sign === '(' || sign === ')') {
      endCommand()
      at += 1
    } else if (sign === '&' && text[at + 1] !== '>' && text[at - 1] !== '>') {
      endCommand()
      at += 1
    } else if (sign === ' ' || sign === '\t' || sign === '\r') {
      endWord()
      at += 1
    } else {
      word = (word ?? '') + sign
      at += 1
    }
  }
  endCommand()
  return made
}

/** Returns the closing quote, or the end of the text. */
function quoteEnd(text: string, at: number): number {
  const quote = text[at] as string
  let end = at + 1
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' && quote === '"' ? 2 : 1
  return Math.min(end, text.length)
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** Returns the position after a heredoc; the end of the text if it is not closed. */
function skipHeredoc(text: string, from: number, end: string): number {
  let at = from
  while (at < text.length) {
    const next = lineEnd(text, at)
    if (text.slice(at, Math.min(next, at + end.length + 64)).trim() === end) return next + 1
    at = next + 1
  }
  return text.length
}

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
