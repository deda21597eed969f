import { commandsIn } from '../tool-calls/command.ts'
import { type Edit, iterateLines } from '../tool-calls/edits.ts'
import { ownCopy } from '../tool-calls/quote.ts'
import { detectLanguage, type Language, MAYBE_STUB, type Stub, stubsIn } from './stub-signs.ts'

/** A stub that an agent wrote, and where. */
export interface LeftStub extends Stub {
  readonly path: string
  readonly call: string
  readonly n: number
}

/** Limits per agent and per file; the oldest entries are dropped. */
const MOST_FILES = 200
const MOST_IN_FILE = 100
const MOST_MOVED = 1_000

/** The stubs one agent wrote itself and has not replaced. */
export class LeftStubs {
  readonly #files = new Map<string, LeftStub[]>()
  readonly #seen = new SeenStubs()
  /** Other people's stubs that this agent removed from a file; they may reappear in another. */
  readonly #moved = new Map<string, number>()

  get all(): readonly LeftStub[] {
    return [...this.#files.values()].flat()
  }

  /** Records text the agent was shown, and the path or command it asked with. */
  saw(place: string, text: string): void {
    this.#seen.saw(place, text, (names) => {
      const there = [...this.#files].filter(([path]) => names.length === 0 || names.includes(fileName(path)))
      return new Set(there.flatMap(([, stubs]) => stubs.map(({ line }) => line)))
    })
  }

  /** `isOver` means that the file existed before it was written. */
  edited(edit: Edit, call: string, n: number, isOver = false): void {
    const language = detectLanguage(edit.path)
    if (language === undefined) return
    const path = this.#named(edit.path)
    const isWhole = edit.before === undefined
    const isUnknown = isWhole && isOver && !this.#seen.hasPath(path)
    this.#seen.knows(path)
    const stubs = this.#files.get(path) ?? []
    const left = isWhole ? [] : withoutReplaced(stubs, edit, language)
    const foreign = isWhole ? this.#seen.lineCounts(path) : countLines(replacedOthers(stubs, edit, language))
    const written = isUnknown
      ? []
      : stubsIn(edit.after, language).filter(({ line }) => !take(foreign, line) && !this.#isOthers(line))
    const own = written.map((stub) => ({ ...stub, row: isWhole ? stub.row : 0, path, call, n }))
    this.#files.delete(path)
    const next = [...left, ...own].slice(-MOST_IN_FILE)
    if (next.length > 0) this.#files.set(path, next)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MOST_FILES) break
      this.#files.delete(oldest)
    }
    if (!isWhole) for (const [line, count] of foreign) if (count > 0) this.#tookOut(line, path)
  }

  /**
   * A descriptive line is not written twice by chance, so it is the one that was seen or removed
   * elsewhere.
   */
  #isOthers(line: string): boolean {
    return isTelling(line) && (take(this.#moved, line) || this.#seen.isAnywhere(line))
  }

  #tookOut(line: string, from: string): void {
    if (!isTelling(line)) return
    for (const [path, stubs] of this.#files) {
      const at = path === from ? -1 : stubs.findIndex((stub) => stub.line === line)
      if (at < 0) continue
      stubs.splice(at, 1)
      if (stubs.length === 0) this.#files.delete(path)
      return
    }
    if (this.#moved.size < MOST_MOVED) this.#moved.set(line, (this.#moved.get(line) ?? 0) + 1)
  }

  /** Forgets files that a command may have rewritten. */
  ran(line: string): void {
    if (this.#files.size === 0) return
    for (const words of commandsIn(line)) {
      const command = words.join(' ')
      if (/^git (?:-C \S+ )?(?:checkout|restore|reset|stash|revert|apply)\b/.test(command))
        this.#files.clear()
      if (!MAY_WRITE.test(command)) continue
      for (const path of [...this.#files.keys()])
        if (command.includes(fileName(path))) this.#files.delete(path)
    }
  }

  /** One tool may use an absolute path and another a relative one for the same file. */
  #named(path: string): string {
    const own = path.replace(/^\.\//, '')
    if (this.#files.has(own)) return own
    for (const candidate of this.#files.keys())
      if (candidate.endsWith(`/${own}`) || own.endsWith(`/${candidate}`)) return candidate
    return own
  }
}

const MAY_WRITE = /^(?:sed|perl|rm|mv|cp|tee|patch|python3?|node|ruby|ed|ex|awk|truncate|dd|install)\b|>/
const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Returns the stubs that remain after an edit, as they read then. */
function withoutReplaced(stubs: readonly LeftStub[], edit: Edit, language: Language): LeftStub[] {
  const before = (edit.before ?? '').trim()
  if (before === '') return [...stubs]
  const lines = before.split('\n', 2_000).map((line) => line.trim())
  const gone = countLines(lines.filter((line) => line !== ''))
  const left: LeftStub[] = []
  let replaced = false
  for (const stub of stubs) {
    const isIn = lines.length === 1 && stub.line.includes(before) && (!replaced || edit.everywhere === true)
    if (isIn) {
      replaced = true
      const rest = stub.line.replace(before, '')
      // Whatever the edit writes counts as its own.
      if (stubsIn(rest, language).length > 0)
        left.push({ ...stub, line: stub.line.replace(before, () => edit.after.trim()) })
    } else if (lines.length > 1 && (take(gone, stub.line) || isCutThrough(stub.line, lines))) {
      replaced = true
    } else left.push(stub)
  }
  return left
}

/** An edit may begin or end within a line. */
const isCutThrough = (line: string, lines: readonly string[]): boolean => {
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  return (first !== '' && line.endsWith(first)) || (last !== '' && line.startsWith(last) && last.length >= 8)
}

/**
 * Returns stubs in the replaced text that this agent did not write; they do not become its own if
 * they stay.
 */
function replacedOthers(stubs: readonly LeftStub[], edit: Edit, language: Language): readonly string[] {
  const own = stubs.map((stub) => stub.line)
  return stubsIn(edit.before ?? '', language).flatMap(({ line }) => {
    const at = own.findIndex((stub) => stub.includes(line))
    if (at >= 0) own.splice(at, 1)
    return at >= 0 ? [] : [line]
  })
}

function countLines(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function take(counts: Map<string, number>, line: string): boolean {
  const count = counts.get(line) ?? 0
  if (count > 0) counts.set(line, count - 1)
  return count > 0
}

/** Limits of places and of lines per place; the oldest entries are dropped. */
const MOST_PLACES = 200
const MOST_LINES = 200
const MOST_PATHS = 2_000
const MOST_TEXT = 2_000_000
const MOST_LINE = 200
/** The prefix that tools put before a line: its number, or its file and number. */
const NUMBERED = /^\s{0,12}\d{1,7}(?:\t|→|[:|-] ?| {2})/
const FOUND = /^((?:[A-Za-z]:)?[^\s:]{1,300}?)[:-]\d{1,7}[:-]/

/** Possible stubs that an agent saw in files before it wrote them; they are not its own. */
class SeenStubs {
  readonly #places = new Map<string, Map<string, number>>()
  readonly #paths = new Set<string>()

  /**
   * `place` is a path or the command that showed it. `ownAt` returns the lines the agent itself
   * wrote there.
   */
  saw(place: string, text: string, ownAt: (names: readonly string[]) => ReadonlySet<string>): void {
    this.knows(place)
    const looked = text.slice(0, MOST_TEXT)
    if (!MAYBE_STUB.test(looked)) return
    const now = new Map<string, Map<string, number>>()
    const own = new Map<string, ReadonlySet<string>>()
    for (const raw of iterateLines(looked)) {
      if (!MAYBE_STUB.test(raw)) continue
      const found = FOUND.exec(raw.slice(0, 320))
      const rest = found === null ? raw.replace(NUMBERED, '') : raw.slice(found[0].length)
      const line = ownCopy(rest.trim().slice(0, MOST_LINE))
      const where = found?.[1] === undefined ? place : ownCopy(found[1])
      const lines = now.get(where) ?? new Map<string, number>()
      if (now.size >= MOST_PLACES && !now.has(where)) continue
      now.set(where, lines)
      const ownLines = own.get(where) ?? ownAt(namesIn(where))
      own.set(where, ownLines)
      if (ownLines.has(line)) continue
      if (lines.size < MOST_LINES) lines.set(line, (lines.get(line) ?? 0) + 1)
    }
    for (const [where, lines] of now) this.#put(where, lines)
  }

  /** Records a path that the agent read or wrote. */
  knows(path: string): void {
    for (const name of namesIn(path)) {
      this.#paths.add(name)
      for (const oldest of this.#paths) {
        if (this.#paths.size <= MOST_PATHS) break
        this.#paths.delete(oldest)
      }
    }
  }

  hasPath(path: string): boolean {
    return namesIn(path).some((name) => this.#paths.has(name))
  }

  /** Counts how often each line was seen in a file at once. */
  lineCounts(path: string): Map<string, number> {
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
    const counts = this.#places.get(where) ?? new Map<string, number>()
    for (const [line, count] of lines)
      if (counts.size < MOST_LINES || counts.has(line))
        counts.set(line, Math.max(count, counts.get(line) ?? 0))
    this.#places.delete(where)
    this.#places.set(where, counts)
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break
      this.#places.delete(oldest)
    }
  }
}

/** Returns the file names in a path or a command, without folders. */
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

/**
 * True if a line says more than that something is missing; such a line is not written twice by
 * chance.
 */
function isTelling(line: string): boolean {
  let letters = 0
  for (const [letter] of line.replace(SIGNS, '').matchAll(/\p{L}/gu)) letters += DENSE.test(letter) ? 3 : 1
  return letters >= ENOUGH
}
