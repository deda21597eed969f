import { nextLine, previousLine } from './boundary.ts'
import { characterSet, runEnd, runStart } from './characters.ts'
import type { Secret, Shape } from './shape.ts'

const MOST_LINES = 4
const LONGEST_LINE = 96
const inKey = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~:')

/** What stands before a key decides whether a word begins there. */
const LONGEST_CONTEXT = 32

/** The part of a line that may belong to a key. */
interface Line {
  readonly start: number
  readonly end: number
}

/**
 * Also finds a key that a terminal or a mail wrapped. `whole` is the usual length of the key: a shorter one that
 * ends with its line may continue on the next.
 */
export const wrappable = (shape: Shape, whole = 0): Shape => ({
  literal: shape.literal,
  look: (text, start, end) => {
    const found = shape.look(text, start, end)
    if (!text.startsWith(shape.literal, start)) return found
    const isWhole = typeof found !== 'number' && 'label' in found && found.end - found.start >= whole
    return isWhole ? found : (wrappedKey(shape, text, { start, end }, whole) ?? found)
  },
})

/** Joins as few lines around the literal as make a key, which begins on the first and ends on the last of them. */
function wrappedKey(shape: Shape, text: string, literal: Line, whole: number): Secret | undefined {
  const { before, after } = linesAround(text, literal)
  const lines = [...before, ...after]
  for (let count = 2; count <= Math.min(MOST_LINES, lines.length); count++) {
    const least = Math.max(0, before.length - count)
    for (let first = least; first < before.length && first + count <= lines.length; first++) {
      const key = keyOn(shape, text, lines.slice(first, first + count), literal)
      if (key !== undefined && (whole === 0 || key.length === whole)) return key
    }
  }
  return undefined
}

function keyOn(
  shape: Shape,
  text: string,
  lines: readonly Line[],
  literal: Line,
): (Secret & { length: number }) | undefined {
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line]
  const from = Math.max(0, first.start - LONGEST_CONTEXT)
  let joined = text.slice(from, first.start)
  let at = 0
  for (const line of lines) {
    if (line.start <= literal.start) at = joined.length + literal.start - line.start
    joined += text.slice(line.start, line.end)
  }
  const found = shape.look(joined, at, at + literal.end - literal.start)
  if (typeof found === 'number' || !('label' in found)) return undefined
  const [start, end] = [from + found.start, last.end - joined.length + found.end]
  const key = joined.slice(found.start, found.end)
  const isChance = /[0-9]/.test(key) && /[A-Za-z]/.test(key)
  return start < first.end && end > last.start && isChance
    ? { label: found.label, start, end, length: key.length }
    : undefined
}

/** Returns the lines up to the one with the literal, and those after it. */
function linesAround(
  text: string,
  literal: Line,
): { readonly before: readonly Line[]; readonly after: readonly Line[] } {
  let line = {
    start: lineStart(text, literal.start),
    end: runEnd(inKey, text, literal.end, literal.end + LONGEST_LINE),
  }
  const before = [line]
  const after: Line[] = []
  for (let next = nextLine(text, line.end); next !== undefined && after.length < MOST_LINES - 1; ) {
    line = { start: next, end: runEnd(inKey, text, next, next + LONGEST_LINE) }
    after.push(line)
    next = nextLine(text, line.end)
  }
  for (
    let end = previousLine(text, before[0]?.start ?? 0);
    end !== undefined && before.length < MOST_LINES;
  ) {
    const start = lineStart(text, end)
    before.unshift({ start, end })
    end = previousLine(text, start)
  }
  return { before, after }
}

/** Returns where the characters of a key begin. The letter of an escaped newline is not one of them. */
function lineStart(text: string, to: number): number {
  const start = runStart(inKey, text, to, LONGEST_LINE)
  return start < to && text[start - 1] === '\\' ? start + 1 : start
}
