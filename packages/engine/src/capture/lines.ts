/** One event as it came: its place in the body, and its text or what the text says. */
export type RawLine =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly value: unknown; readonly length: number }

export const lengthOf = (raw: RawLine): number => ('text' in raw ? raw.text.length : raw.length)

const BLANK = /^\s*$/

/**
 * The events of a body: NDJSON, one JSON array, or one JSON object. Blank lines are passed over but counted.
 * What starts like an array but is none is taken line by line, so that one bad line never hides the good ones.
 */
export function* linesOf(body: string): Generator<RawLine> {
  const text = body.startsWith('\uFEFF') ? body.slice(1) : body
  const whole = wholeDocument(text)
  if (!whole) {
    yield* splitLines(text)
    return
  }
  const values = Array.isArray(whole.value) ? whole.value : [whole.value]
  for (const [index, value] of values.entries()) {
    // An element is not measured unless the body could hold one that is too long.
    const length = text.length > LINE_LIMIT ? JSON.stringify(value).length : 0
    yield { line: index + 1, value, length }
  }
}

export const LINE_LIMIT = 256 * 1024

function* splitLines(text: string): Generator<RawLine> {
  let start = 0
  for (let line = 1; start < text.length; line++) {
    const end = text.indexOf('\n', start)
    const stop = end < 0 ? text.length : end
    const part = text.slice(start, stop)
    if (!BLANK.test(part)) yield { line, text: part }
    start = stop + 1
  }
}

/** A body that is one JSON document over several lines, or an array. */
function wholeDocument(text: string): { readonly value: unknown } | undefined {
  const start = text.search(/\S/)
  const first = text[start]
  if (first !== '[' && first !== '{') return undefined
  if (first === '{') {
    const end = text.indexOf('\n', start)
    if (end < 0 || parse(text.slice(start, end))) return undefined
  }
  return parse(text)
}

export function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
