import { redactText } from '@panoptes/engine/redact'

interface ShortenedText {
  readonly text: string
  /** Number of characters removed. */
  readonly leftOut: number
}

/** The size of text that follows but is not included. */
export interface OmittedSize {
  readonly characters: number
  readonly lines: number
}

const NOTHING: OmittedSize = { characters: 0, lines: 0 }
/** The size of the longest note. */
const NOTE = 40

/** Only the head of a text is kept, so only this much has to be examined. */
export const MOST_EXAMINED = 16_384
/** The end of the examined part, which may contain a secret that was cut in two. */
const EDGE = 6_144

interface CleanText extends ShortenedText {
  readonly removed: number
}

const MOST_DEPTH = 12
const MOST_VALUES = 1_000
/** The limit for all texts together. */
const MOST_CHARACTERS = 4 * MOST_EXAMINED

/** Returns the head of a text, including a note of what was cut, within the limit. */
export function shorten(text: string, most: number, beyond: OmittedSize = NOTHING): ShortenedText {
  if (text.length <= most && beyond.characters === 0) return { text, leftOut: 0 }
  const room = Math.max(0, Math.min(text.length, most - NOTE))
  const lineEnd = text.lastIndexOf('\n', room)
  const byLine = lineEnd >= room / 2 && lineEnd > 0
  const end = byLine ? lineEnd : findSafeEnd(text, room)
  const leftOut = text.length - end + beyond.characters
  const cut = byLine ? formatLines(countLines(text, end + 1) + beyond.lines) : formatCharacters(leftOut)
  return { text: `${text.slice(0, end)}${byLine ? '\n' : ''}… ${cut} cut`, leftOut }
}

const COUNT = new Intl.NumberFormat('en-US')

const formatLines = (count: number): string => `${COUNT.format(count)} ${count === 1 ? 'line' : 'lines'}`

const formatCharacters = (count: number): string =>
  `${COUNT.format(count)} ${count === 1 ? 'character' : 'characters'}`

/** Splits neither a character nor a redaction mark. */
function findSafeEnd(text: string, end: number): number {
  const mark = text.lastIndexOf('[redacted:', end)
  const closed = mark < 0 || mark >= end ? -1 : text.indexOf(']', mark)
  if (closed >= end && closed - mark < 64) return mark
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

/** Counts the lines from here on; a final line end begins no further line. */
function countLines(text: string, from = 0): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return text.length > from && !text.endsWith('\n') ? count + 1 : count
}

/**
 * Removes secrets, then home folders, then cuts to the budget. Cutting earlier could leave half a
 * secret.
 */
export function cleanText(whole: string, most: number, general: (text: string) => string): CleanText {
  const { text, removed } = redactText(whole.slice(0, MOST_EXAMINED).toWellFormed())
  return { ...withinBudget(whole, general(text), most), removed }
}

/** Cuts a text of which only the examined part was cleaned. */
export function withinBudget(whole: string, clean: string, most: number): ShortenedText {
  if (whole.length <= MOST_EXAMINED) return shorten(clean, most)
  const head = clean.slice(0, Math.max(0, clean.length - EDGE))
  return shorten(head, most, {
    characters: whole.length - MOST_EXAMINED + clean.length - head.length,
    lines: countLines(whole, MOST_EXAMINED) + countLines(clean, head.length),
  })
}

/** Copies what may be kept at all, because the input may be nested or repeated endlessly. */
export function boundValue(value: unknown): unknown {
  const left = { values: MOST_VALUES, characters: MOST_CHARACTERS }
  const copy = (each: unknown, depth: number): unknown => {
    left.values -= 1
    if (typeof each === 'string') {
      const text = each.slice(0, MOST_EXAMINED).toWellFormed()
      left.characters -= text.length
      // A text cut in the middle could end in half a secret.
      return left.characters < 0 ? '… cut' : text
    }
    if (typeof each !== 'object' || each === null) return each
    if (depth === MOST_DEPTH) return '… nested deeper, cut'
    if (Array.isArray(each)) {
      const list: unknown[] = []
      for (const item of each) if (left.values > 0) list.push(copy(item, depth + 1))
      return list
    }
    const fields: [string, unknown][] = []
    for (const name of Object.keys(each)) {
      if (left.values <= 0) break
      fields.push([name.slice(0, MOST_EXAMINED), copy((each as Record<string, unknown>)[name], depth + 1)])
    }
    return Object.fromEntries(fields)
  }
  return copy(value, 0)
}
