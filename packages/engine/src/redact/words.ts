import { blank, has, runEnd, setOf } from './characters.ts'
import { closedAt, isClosing, openedAt } from './quotes.ts'

/** A word of a command line, without the quotes around it. */
export interface Word {
  readonly start: number
  readonly end: number
  /** The rest of it from a place within, without the quotes around that. */
  readonly from: (start: number) => Word
}

const LONGEST_COMMAND = 4_096
const ends = setOf(';|&\r\n')
const opens = setOf('=:')
/** What a shell lets a backslash escape and JSON does not. */
const escapable = setOf('$!&*()#;<>|~^%@?{}[] ')

/** The words of a command from here on: to the end of the command, its line, or the quotes that it stands in. */
export function* wordsOf(text: string, from: number): Generator<Word> {
  const limit = Math.min(text.length, from + LONGEST_COMMAND)
  let at = from
  for (;;) {
    at = skip(text, at, limit)
    if (at >= limit || has(ends, text, at)) return
    const { end, next, last } = endOf(text, at, limit)
    if (end > at) yield wordAt(text, at, end)
    if (last || next <= at) return
    at = next
  }
}

function skip(text: string, from: number, limit: number): number {
  let at = runEnd(blank, text, from, limit)
  while (text[at] === '\\' && (text[at + 1] === '\n' || text[at + 1] === '\r'))
    at = runEnd(blank, text, text.startsWith('\r\n', at + 1) ? at + 3 : at + 2, limit)
  return at
}

interface End {
  readonly end: number
  readonly next: number
  /** Whether the command ends with it. */
  readonly last: boolean
}

function endOf(text: string, start: number, limit: number): End {
  let at = start
  while (at < limit && !has(blank, text, at) && !has(ends, text, at)) {
    const opened = openedAt(text, at)
    if (opened) {
      const opening = at === start || text[start] === '-' || has(opens, text, at - 1)
      if (!opening || isClosing(text, opened)) return { end: at, next: at, last: true }
      const closed = closedAt(text, opened, limit)
      const after = openedAt(text, closed)
      if (after?.quote !== opened.quote || after.backslashes !== opened.backslashes)
        return { end: closed, next: closed, last: true }
      at = after.start
      continue
    }
    if (text[at] === '\\') {
      let run = at
      while (text[run] === '\\') run += 1
      if (!has(escapable, text, run))
        return { end: at, next: at, last: text[run] !== '\n' && text[run] !== '\r' }
      at = run
    }
    at += 1
  }
  return { end: at, next: at, last: false }
}

function wordAt(text: string, place: number, stop: number): Word {
  const opened = openedAt(text, place)
  const within = opened !== undefined && opened.start <= stop
  const start = within ? opened.start : place
  const end = within ? Math.min(stop, closedAt(text, opened, stop)) : stop
  return { start, end, from: (later) => wordAt(text, later, end) }
}
