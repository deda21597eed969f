/** One event as it came: its place in the body, and its text or what the text says. */
export type RawLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly value: unknown; readonly length: number }

export const lengthOf = (raw: RawLine): number => ('text' in raw ? raw.text.length : raw.length)

const BLANK = /^\s*$/
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')
const NEWLINE = 0x0a
const LIST = 0x5b
const OBJECT = 0x7b
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, NEWLINE, 0x0d])

/**
 * The events of a body: NDJSON, one JSON array, or one JSON object. Blank lines are passed over but counted.
 * What starts like an array but is none is taken line by line, so that one bad line never hides the good ones.
 * Lines become text one by one: a long body never stands in memory as text as a whole.
 */
export function* linesOf(body: Buffer): Generator<RawLine> {
  const marked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const bytes = marked ? body.subarray(BYTE_ORDER_MARK.length) : body
  const whole = wholeDocument(bytes)
  if (!whole) {
    yield* splitLines(bytes)
    return
  }
  const values = Array.isArray(whole.value) ? whole.value : [whole.value]
  for (const [index, value] of values.entries()) {
    // An element is not measured unless the body could hold one that is too long.
    const length = bytes.length > LINE_LIMIT ? JSON.stringify(value).length : 0
    yield { line: index + 1, value, length }
  }
}

export const LINE_LIMIT = 256 * 1024

/** A line of more bytes is too long whatever it says, and is cut where that can be seen. */
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

/** A body that is one JSON document over several lines, or an array. */
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
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
