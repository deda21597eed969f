import { CLASS_OF, isWordClass, isWordPoint, SURROGATE } from './classes.ts'

/** Where a path may begin. */
const BEGINS = /~|\.\/|\/home\/|\/mnt\//g
/** Alternatives are tried in order, so a longer extension can be hidden by a shorter one. */
const KINDS = /py|js|ts|css|html|md|json|yaml|yml|svg|sql|sh/y

/**
 * Adds the file paths that a text names. All characters of a path are in one run, and it ends at
 * the last known extension of that run, so each run is scanned once from its end.
 */
export function filesIn(text: string, found: Set<string>): void {
  if (!text.includes('/') && !text.includes('~')) return
  BEGINS.lastIndex = 0
  for (let begin = BEGINS.exec(text); begin; begin = BEGINS.exec(text)) {
    const isHome = begin[0] === '~'
    const runEnd = endOfRun(text, isHome ? begin.index + 1 : begin.index)
    const last = lastKind(text, begin.index, runEnd)
    if (last !== undefined) addFirst(text, begin.index, last, found)
    BEGINS.lastIndex = Math.max(runEnd, begin.index + 1)
  }
}

const DOT = 0x2e
const SHORT = 1_024

interface Kind {
  readonly dot: number
  readonly end: number
}

/** Finds the leftmost start that leaves at least one character before the dot. */
function addFirst(text: string, from: number, { dot, end }: Kind, found: Set<string>): void {
  BEGINS.lastIndex = from
  for (let begin = BEGINS.exec(text); begin && begin.index < dot; begin = BEGINS.exec(text)) {
    if (begin.index + begin[0].length < dot) {
      const path = text.slice(begin.index, end)
      // A substring would keep the whole text in memory, so the path is copied.
      if (!found.has(path)) found.add(text.length < SHORT ? path : Buffer.from(path).toString())
      return
    }
    BEGINS.lastIndex = begin.index + 1
  }
}

function lastKind(text: string, from: number, runEnd: number): Kind | undefined {
  for (let dot = runEnd - 1; dot > from; dot -= 1) {
    if (text.charCodeAt(dot) !== DOT) continue
    KINDS.lastIndex = dot + 1
    if (KINDS.test(text)) return { dot, end: KINDS.lastIndex }
  }
  return undefined
}

function endOfRun(text: string, from: number): number {
  let at = from
  while (at < text.length && isInPath(text, at)) at += 1
  return at
}

function isInPath(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit === DOT || unit === 0x2f || unit === 0x2d) return true
  const on = CLASS_OF[unit] as number
  if (on !== SURROGATE) return isWordClass(on)
  return isWordPoint(text.codePointAt(at) ?? 0) || isWordPoint(text.codePointAt(at - 1) ?? 0)
}
