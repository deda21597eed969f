export interface Shortened {
  readonly text: string
  /** Number of characters removed. */
  readonly leftOut: number
}

/** The size of text that follows but is not included. */
export interface Beyond {
  readonly characters: number
  readonly lines: number
}

const NOTHING: Beyond = { characters: 0, lines: 0 }
/** The size of the longest note. */
const NOTE = 40

/** Returns the head of a text, including a note of what was cut, within the limit. */
export function shorten(text: string, most: number, beyond: Beyond = NOTHING): Shortened {
  if (text.length <= most && beyond.characters === 0) return { text, leftOut: 0 }
  const room = Math.max(0, Math.min(text.length, most - NOTE))
  const lineEnd = text.lastIndexOf('\n', room)
  const byLine = lineEnd >= room / 2 && lineEnd > 0
  const end = byLine ? lineEnd : wholeEnd(text, room)
  const leftOut = text.length - end + beyond.characters
  const cut = byLine ? lines(linesIn(text, end + 1) + beyond.lines) : characters(leftOut)
  return { text: `${text.slice(0, end)}${byLine ? '\n' : ''}… ${cut} cut`, leftOut }
}

const COUNT = new Intl.NumberFormat('en-US')
const lines = (count: number): string => `${COUNT.format(count)} ${count === 1 ? 'line' : 'lines'}`
const characters = (count: number): string =>
  `${COUNT.format(count)} ${count === 1 ? 'character' : 'characters'}`

/** Splits neither a character nor a redaction mark. */
function wholeEnd(text: string, end: number): number {
  const mark = text.lastIndexOf('[redacted:', end)
  const closed = mark < 0 || mark >= end ? -1 : text.indexOf(']', mark)
  if (closed >= end && closed - mark < 64) return mark
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

/** Counts the lines from here on; a final line end begins no further line. */
export function linesIn(text: string, from = 0): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return text.length > from && !text.endsWith('\n') ? count + 1 : count
}
