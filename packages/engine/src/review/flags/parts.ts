import { linesOf } from '../ran/edits.ts'
import type { Language } from './language.ts'

/** A line of code: itself, what of it is run with its texts emptied, and its comment. */
export interface Line {
  readonly text: string
  readonly code: string
  readonly comment: string
}

/** In characters: a longer line is data, or was made by a program. */
const MOST_LINE = 4_000

/** Tells code from comments and texts, line by line, in one pass. */
export function* partsOf(source: string, language: Language): Generator<Line> {
  let open: Open | undefined
  for (const text of linesOf(source)) {
    const line: Mutable = { text, code: '', comment: '' }
    if (text.length <= MOST_LINE) open = readLine(line, language, open)
    yield line
  }
}

interface Open {
  readonly close: string
  readonly isComment: boolean
}
interface Mutable {
  readonly text: string
  code: string
  comment: string
}

/** Answers what is still open when the line ends. */
function readLine(line: Mutable, language: Language, before: Open | undefined): Open | undefined {
  const { text } = line
  /** Quotes of which there is no other in this line. */
  const lonely = new Set<string>()
  let open = before
  let at = 0
  while (at < text.length) {
    if (open !== undefined) {
      const end = text.indexOf(open.close, at)
      if (open.isComment) line.comment += `${text.slice(at, end < 0 ? text.length : end)} `
      if (end < 0) return open
      at = end + open.close.length
      open = undefined
      continue
    }
    const block = language.block.find(([start]) => text.startsWith(start, at))
    const long = language.long.find((quote) => text.startsWith(quote, at))
    if (block !== undefined) {
      open = { close: block[1], isComment: true }
      at += block[0].length
    } else if (long !== undefined) {
      open = { close: long, isComment: false }
      line.code += '"'
      at += long.length
    } else if (language.line.some((start) => text.startsWith(start, at)) && text[at - 1] !== ':') {
      line.comment += text.slice(at)
      return undefined
    } else {
      const sign = text[at] as string
      const end = (sign === '"' || sign === "'") && !lonely.has(sign) ? textEnd(text, at) : -1
      if (end < 0 && (sign === '"' || sign === "'")) lonely.add(sign)
      line.code += end < 0 ? sign : '""'
      at = end < 0 ? at + 1 : end + 1
    }
  }
  return open
}

function textEnd(text: string, at: number): number {
  const quote = text[at]
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++
    else if (text[end] === quote) return end
  }
  return -1
}
