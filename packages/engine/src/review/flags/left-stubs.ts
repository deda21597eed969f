import { commandsIn } from '../ran/command.ts'
import type { Edit } from '../ran/edits.ts'
import { type Language, languageOf } from './language.ts'
import { type Stub, stubsIn } from './stub-signs.ts'

/** A stub that an agent wrote, and where. */
export interface LeftStub extends Stub {
  readonly path: string
  readonly call: string
  readonly n: number
}

/** Of one agent: files with stubs, and stubs in a file. The oldest give way. */
const MOST_FILES = 200
const MOST_IN_FILE = 100

/** The stubs that one agent wrote itself and has not replaced since. */
export class LeftStubs {
  readonly #files = new Map<string, LeftStub[]>()

  get all(): readonly LeftStub[] {
    return [...this.#files.values()].flat()
  }

  edited(edit: Edit, call: string, n: number): void {
    const language = languageOf(edit.path)
    if (language === undefined) return
    const path = this.#named(edit.path)
    const kept = this.#files.get(path) ?? []
    const left = edit.before === undefined ? [] : withoutReplaced(kept, edit, language)
    const foreign = countOf(edit.before === undefined ? [] : replacedOthers(kept, edit, language))
    const written = stubsIn(edit.after, language).filter(({ line }) => !take(foreign, line))
    const own = written.map((stub) => ({
      ...stub,
      row: edit.before === undefined ? stub.row : 0,
      path,
      call,
      n,
    }))
    this.#files.delete(path)
    const next = [...left, ...own].slice(-MOST_IN_FILE)
    if (next.length > 0) this.#files.set(path, next)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MOST_FILES) break
      this.#files.delete(oldest)
    }
  }

  /** What a command may have written anew is not known any more. */
  ran(line: string): void {
    if (this.#files.size === 0) return
    for (const words of commandsIn(line)) {
      const told = words.join(' ')
      if (/^git (?:-C \S+ )?(?:checkout|restore|reset|stash|revert|apply)\b/.test(told)) this.#files.clear()
      if (!MAY_WRITE.test(told)) continue
      for (const path of [...this.#files.keys()]) if (told.includes(nameOf(path))) this.#files.delete(path)
    }
  }

  /** One file goes by a whole path with one tool and by a part of it with another. */
  #named(path: string): string {
    const own = path.replace(/^\.\//, '')
    if (this.#files.has(own)) return own
    for (const known of this.#files.keys())
      if (known.endsWith(`/${own}`) || own.endsWith(`/${known}`)) return known
    return own
  }
}

const MAY_WRITE = /^(?:sed|perl|rm|mv|cp|tee|patch|python3?|node|ruby|ed|ex|awk|truncate|dd|install)\b|>/
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** What of the kept stubs stands after an edit, as it reads then. */
function withoutReplaced(kept: readonly LeftStub[], edit: Edit, language: Language): LeftStub[] {
  const before = (edit.before ?? '').trim()
  if (before === '') return [...kept]
  const lines = before.split('\n', 2_000).map((line) => line.trim())
  const gone = countOf(lines.filter((line) => line !== ''))
  const left: LeftStub[] = []
  let replaced = false
  for (const stub of kept) {
    const isIn = lines.length === 1 && stub.line.includes(before) && (!replaced || edit.everywhere === true)
    if (isIn) {
      replaced = true
      const rest = stub.line.replace(before, '')
      // What the edit puts there counts as its own, by what it writes.
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

/** Stubs in what was replaced that this agent had not written: they are not its own when they stay. */
function replacedOthers(kept: readonly LeftStub[], edit: Edit, language: Language): readonly string[] {
  const own = kept.map((stub) => stub.line)
  return stubsIn(edit.before ?? '', language).flatMap(({ line }) => {
    const at = own.findIndex((stub) => stub.includes(line))
    if (at >= 0) own.splice(at, 1)
    return at >= 0 ? [] : [line]
  })
}

function countOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

function take(counts: Map<string, number>, line: string): boolean {
  const count = counts.get(line) ?? 0
  if (count > 0) counts.set(line, count - 1)
  return count > 0
}
