export interface Shortened {
  readonly text: string
  /** Characters that are not in it any more. */
  readonly leftOut: number
}

/** What is known to follow a text, and is not there. */
export interface Beyond {
  readonly characters: number
  readonly lines: number
}

const NOTHING: Beyond = { characters: 0, lines: 0 }
/** What the longest note takes. */
const NOTE = 40

/** The head of a text, with a note of what was cut as part of it: never longer than asked for. */
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

/** Neither half a letter nor half a mark of what was taken out is left. */
function wholeEnd(text: string, end: number): number {
  const mark = text.lastIndexOf('[redacted:', end)
  const closed = mark < 0 || mark >= end ? -1 : text.indexOf(']', mark)
  if (closed >= end && closed - mark < 64) return mark
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

/** Lines from here on; a line end at the very end begins none. */
export function linesIn(text: string, from = 0): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return text.length > from && !text.endsWith('\n') ? count + 1 : count
}
