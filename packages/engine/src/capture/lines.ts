import { parseShallowJson } from '@panoptes/schema/json'
/** One raw event: its line number, and its text or parsed value. */
export type RawLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly value: unknown; readonly length: number }

export const lineLength = (raw: RawLine): number => ('text' in raw ? raw.text.length : raw.length)

const BLANK = /^\s*$/
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const NEWLINE = 0x0a
const LIST = 0x5b
const OBJECT = 0x7b
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, NEWLINE, 0x0d])

/**
 * Reads the events of a body: NDJSON, one JSON array, or one JSON object. Blank lines are skipped but
 * counted. A malformed array is read line by line, so that one bad line never hides the good ones. Lines are
 * decoded one by one, so a long body is never in memory as text as a whole.
 */
export function* readLines(body: Buffer): Generator<RawLine> {
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const bytes = marked ? body.subarray(BYTE_ORDER_MARK.length) : body
  const whole = wholeDocument(bytes)
  if (!whole) {
    yield* splitLines(bytes)
    return
  }
  const values = Array.isArray(whole.value) ? whole.value : [whole.value]
  for (const [index, value] of values.entries()) {
    // Elements are measured only when the body could contain one that is too long.
    const length = bytes.length > LINE_LIMIT ? JSON.stringify(value).length : 0
    yield { line: index + 1, value, length }
  }
}

export const LINE_LIMIT = 256 * 1024

/** A line with more bytes is too long whatever it contains, and is cut where the excess is still visible. */
const MOST_BYTES = LINE_LIMIT * 3

function* splitLines(bytes: Buffer): Generator<RawLine> {
  let start = 0
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(NEWLINE, start)
    const stop = end < 0 ? bytes.length : end
    const part = bytes.toString('utf8', start, Math.min(stop, start + MOST_BYTES + 3))
    if (!BLANK.test(part) || !isSpace(bytes.subarray(start + MOST_BYTES, stop))) yield { line, text: part }
    start = stop + 1
  }
}

const isSpace = (bytes: Buffer): boolean => bytes.every((byte) => SPACE.has(byte))

/** Parses a body that is one multi-line JSON document or an array. */
function wholeDocument(bytes: Buffer): { readonly value: unknown } | undefined {
  const start = bytes.findIndex((byte) => !SPACE.has(byte))
  const first = bytes[start]
  if (first !== LIST && first !== OBJECT) return undefined
  if (first === OBJECT) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end < 0 || parse(bytes.toString('utf8', start, end))) return undefined
  }
  return parse(bytes.toString('utf8'))
}

export function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseShallowJson(text) }
  } catch {
    return undefined
  }
}
