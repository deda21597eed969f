import { nextLine } from './boundary.ts'
import { base64Any, has, runEnd } from './characters.ts'

const LEAST_RUN = 24
const LEAST_TEXT = 15
/** Text found in base64, with the position of its characters in the original. */
export interface Decoded {
  readonly text: string
  readonly range: (start: number, end: number) => { readonly start: number; readonly end: number }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES = new Uint8Array(128)
/**
 * The classes of a character: whether it can be first, second or third of the four that encode three ASCII
 * characters.
 */
const FIRST = 1
const SECOND = 2
const THIRD = 4
const PLACES = new Uint8Array(128)
for (const [index, character] of [...ALPHABET, '-', '_'].entries()) {
  const value = index < 64 ? index : index - 2
  const code = character.charCodeAt(0)
  VALUES[code] = value
  PLACES[code] = (value & 32 ? 0 : FIRST) | (value & 8 ? 0 : SECOND) | (value & 2 ? 0 : THIRD)
}

/**
 * Visits every text encoded in base64, whatever stands directly before it. It looks for runs backwards from
 * their minimum length, so that most characters of ordinary text are never examined.
 */
export function visitBase64(text: string, visit: (decoded: Decoded) => void): void {
  let start = 0
  let seen = -1
  for (let probe = LEAST_RUN - 1; probe < text.length; probe = start + LEAST_RUN - 1) {
    let at = probe
    while (at > seen && (MEMBER[text.charCodeAt(at)] as number) === 1) at -= 1
    if (at > seen) {
      start = at + 1
      seen = probe
      continue
    }
    const end = visitLines(text, start, runEnd(base64Any, text, probe), visit)
    start = end + 1
    seen = end
  }
}

const MEMBER = new Uint8Array(65_536)
MEMBER.set(base64Any)

/** Encoders wrap at 64 or 76 characters. */
const LEAST_LINE = 56

/** A line's position, and its offset when all lines are joined. */
interface Line {
  readonly start: number
  readonly end: number
  readonly at: number
}

/** Visits a run and its continuation lines as one, and returns where they end. */
function visitLines(text: string, start: number, end: number, visit: (decoded: Decoded) => void): number {
  const lines: Line[] = [{ start, end, at: 0 }]
  let joined = ''
  let last = end
  for (let from = start; last - from >= LEAST_LINE; ) {
    const next = nextLine(text, last)
    if (next === undefined || !has(base64Any, text, next)) break
    joined += text.slice(from, last)
    from = next
    last = runEnd(base64Any, text, next)
    lines.push({ start: from, end: last, at: joined.length })
  }
  const final = lines.at(-1) as Line
  if (lines.length === 1) {
    visitRun(text, start, end, visit)
    return end
  }
  joined += text.slice(final.start, final.end)
  const original = (at: number): number => {
    let low = 0
    let high = lines.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((lines[middle] as Line).at <= at) low = middle
      else high = middle - 1
    }
    const line = lines[low] as Line
    return line.start + at - line.at
  }
  visitRun(joined, 0, joined.length, (decoded) => {
    visit({
      text: decoded.text,
      range: (from, to) => {
        const range = decoded.range(from, to)
        return { start: original(range.start), end: original(range.end - 1) + 1 }
      },
    })
  })
  return last
}

/** This many groups of ASCII in a row are hardly ever chance. */
const LEAST_GROUPS = 4

/** Preceding characters shift the groups of four, so each of the four phases is tried. */
function visitRun(text: string, start: number, end: number, visit: (decoded: Decoded) => void): void {
  for (let phase = 0; phase < 4; phase++) {
    let groups = 0
    for (let at = start + phase; at < end + 4; at += 4) {
      if (at + 3 <= end && isGroup(text, at)) {
        groups += 1
        continue
      }
      if (groups >= LEAST_GROUPS) {
        const first = at - 4 * groups
        visitTexts(text, Math.max(start + phase, first - 4), Math.min(end, at + 4), visit)
      }
      groups = 0
    }
  }
}

const isGroup = (text: string, at: number): boolean =>
  ((PLACES[text.charCodeAt(at)] as number) & FIRST) !== 0 &&
  ((PLACES[text.charCodeAt(at + 1)] as number) & SECOND) !== 0 &&
  ((PLACES[text.charCodeAt(at + 2)] as number) & THIRD) !== 0

const valueAt = (text: string, at: number): number => VALUES[text.charCodeAt(at)] as number

/** Returns one of the three bytes that the four characters from `at` encode. */
function byteAt(text: string, at: number, byte: number): number {
  const high = valueAt(text, at + byte)
  const low = valueAt(text, at + byte + 1)
  return ((high << (2 + 2 * byte)) | (low >> (4 - 2 * byte))) & 255
}

const isText = (byte: number): boolean =>
  (byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13 || byte === 27

/** Visits stretches of printable bytes that are long enough for a key. */
function visitTexts(text: string, start: number, end: number, visit: (decoded: Decoded) => void): void {
  const bytes = Math.floor(((end - start) * 3) / 4)
  let first = 0
  for (let index = 0; index <= bytes; index++) {
    const group = Math.floor(index / 3)
    if (index < bytes && isText(byteAt(text, start + 4 * group, index - 3 * group))) continue
    if (index - first >= LEAST_TEXT) visit(decodedText(text, start, first, index))
    first = index + 1
  }
}

function decodedText(text: string, start: number, first: number, last: number): Decoded {
  const codes: string[] = []
  for (let index = first; index < last; index++) {
    const group = Math.floor(index / 3)
    codes.push(String.fromCharCode(byteAt(text, start + 4 * group, index - 3 * group)))
  }
  return {
    text: codes.join(''),
    range: (from, to) => ({
      start: start + Math.floor(((first + from) * 4) / 3),
      end: start + Math.ceil(((first + to) * 4) / 3),
    }),
  }
}
