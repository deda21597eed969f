import { linesOf } from '../ran/edits.ts'
import { ownCopy } from '../ran/quote.ts'
import { MAYBE_STUB } from './stub-signs.ts'

/** Places that lines were seen at, and lines of one. The oldest give way. */
const MOST_PLACES = 200
const MOST_LINES = 200
const MOST_PATHS = 2_000
const MOST_TEXT = 2_000_000
const MOST_LINE = 200
/** What tools put before a line: its number, or its file and number. */
const NUMBERED = /^\s{0,12}\d{1,7}(?:\t|→|[:|-] ?| {2})/
const FOUND = /^((?:[A-Za-z]:)?[^\s:]{1,300}?)[:-]\d{1,7}[:-]/

/** Lines that may be stubs, as an agent saw them in files before it wrote any: they are not its own. */
export class SeenStubs {
  readonly #places = new Map<string, Map<string, number>>()
  readonly #paths = new Set<string>()

  /** `place` is a path, or the command that showed it. `ownAt` tells which lines the agent wrote there itself. */
  saw(place: string, text: string, ownAt: (names: readonly string[]) => ReadonlySet<string>): void {
    this.knows(place)
    const looked = text.slice(0, MOST_TEXT)
    if (!MAYBE_STUB.test(looked)) return
    const now = new Map<string, Map<string, number>>()
    const own = new Map<string, ReadonlySet<string>>()
    for (const raw of linesOf(looked)) {
      if (!MAYBE_STUB.test(raw)) continue
      const found = FOUND.exec(raw.slice(0, 320))
      const rest = found === null ? raw.replace(NUMBERED, '') : raw.slice(found[0].length)
      const line = ownCopy(rest.trim().slice(0, MOST_LINE))
      const where = found?.[1] === undefined ? place : ownCopy(found[1])
      const lines = now.get(where) ?? new Map<string, number>()
      if (now.size >= MOST_PLACES && !now.has(where)) continue
      now.set(where, lines)
      const known = own.get(where) ?? ownAt(namesIn(where))
      own.set(where, known)
      if (known.has(line)) continue
      if (lines.size < MOST_LINES) lines.set(line, (lines.get(line) ?? 0) + 1)
    }
    for (const [where, lines] of now) this.#put(where, lines)
  }

  /** A path that the agent read or wrote. */
  knows(path: string): void {
    for (const name of namesIn(path)) {
      this.#paths.add(name)
      for (const oldest of this.#paths) {
        if (this.#paths.size <= MOST_PATHS) break
        this.#paths.delete(oldest)
      }
    }
  }

  isKnown(path: string): boolean {
    return namesIn(path).some((name) => this.#paths.has(name))
  }

  /** How often each line was seen in a file at once. */
  linesOf(path: string): Map<string, number> {
    const all = new Map<string, number>()
    const [name = ''] = namesIn(path)
    for (const [where, lines] of this.#places)
      if (namesIn(where).includes(name))
        for (const [line, count] of lines) all.set(line, Math.max(count, all.get(line) ?? 0))
    return all
  }

  isAnywhere(line: string): boolean {
    for (const lines of this.#places.values()) if (lines.has(line)) return true
    return false
  }

  #put(where: string, lines: ReadonlyMap<string, number>): void {
    const known = this.#places.get(where) ?? new Map<string, number>()
    for (const [line, count] of lines)
      if (known.size < MOST_LINES || known.has(line)) known.set(line, Math.max(count, known.get(line) ?? 0))
    this.#places.delete(where)
    this.#places.set(where, known)
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break
      this.#places.delete(oldest)
    }
  }
}

/** The names of files in a path or a command, without their folders. */
const namesIn = (place: string): readonly string[] =>
  place
    .slice(0, 4_096)
    .split(/[\s'"=;|&<>()]+/)
    .map((word) => word.slice(word.lastIndexOf('/') + 1))
    .filter((name) => name.includes('.'))

const SIGNS =
  /todo!?|fixme|xxx|(?:not[ _-]?(?:yet )?|un|to be )implement(?:ed)?|NotImplemented|Error|Exception|placeholder|stub|raise|throw|new|panic!?|return|\?\?\?|for now|later/gi

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const ENOUGH = 8

/** Whether a line says more than that something is not done: such a line is not written twice by chance. */
export function isTelling(line: string): boolean {
  let letters = 0
  for (const [letter] of line.replace(SIGNS, '').matchAll(/\p{L}/gu)) letters += DENSE.test(letter) ? 3 : 1
  return letters >= ENOUGH
}
