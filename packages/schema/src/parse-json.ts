/**
 * The maximum nesting of JSON from outside. Recursive code (`JSON.stringify`, validators,
 * redaction, the page) overflows its stack at some thousand levels, so deeper values are rejected
 * when they are parsed.
 */
export const JSON_LEVELS = 512

export const TOO_DEEP = `is nested deeper than ${JSON_LEVELS} levels`

/**
 * Like `JSON.parse`, for text from outside. Also throws a SyntaxError if the value is nested too
 * deeply.
 */
export function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) throw new SyntaxError(`The value ${TOO_DEEP}.`)
  return JSON.parse(text)
}

/** Like `parseJson`, but returns undefined for a text that it would refuse. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns why `parseJson` rejected a text. */
export function jsonProblem(text: string): string {
  try {
    parseShallowJson(text)
    return TOO_DEEP
  } catch {
    return 'is not JSON'
  }
}

/** Takes linear time, and almost none if a text has few brackets. */
export const isNestedTooDeep = (text: string, levels = JSON_LEVELS): boolean =>
  text.length > levels && hasManyBrackets(text, levels) && !deepValues(text, levels).next().done

/**
 * Parses a text with null in place of values that are nested too deeply, so that the rest is not
 * lost.
 */
export function parseShallowJson(text: string): unknown {
  if (!isNestedTooDeep(text)) return JSON.parse(text)
  const parts: string[] = []
  let cursor = 0
  for (const { start, end } of deepValues(text, JSON_LEVELS)) {
    parts.push(text.slice(cursor, start), 'null')
    cursor = end
  }
  return JSON.parse(parts.join('') + text.slice(cursor))
}

function hasManyBrackets(text: string, levels: number): boolean {
  let count = 0
  for (const bracket of ['[', '{'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > levels) return true
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d

/**
 * Yields the positions of lists and objects that are one level too deep, including their content.
 */
function* deepValues(
  text: string,
  levels: number,
): Generator<{ readonly start: number; readonly end: number }> {
  let level = 0
  let start = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      if (at < 0) break
    } else if (isOpening(code)) {
      level += 1
      if (level === levels + 1) start = at
    } else if (isClosing(code)) {
      if (level === levels + 1) yield { start, end: at + 1 }
      level -= 1
    }
  }
  // An unclosed value is not JSON and need not be parsed to find that out.
  if (level > levels) yield { start, end: text.length }
}

/** Returns the position of the closing quote of a string; negative if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (before > start && text.charCodeAt(before) === BACKSLASH) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return -1
}
