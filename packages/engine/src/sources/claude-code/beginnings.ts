import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Beginning, readBeginning } from './head.ts'
import { transcriptsIn } from './places.ts'

export interface Begun extends Beginning {
  readonly session: string
  readonly path: string
  readonly size: number
}

/** The transcripts of a project by how they begin. */
export interface Look {
  readonly at: number
  /** By their paths. */
  readonly begun: ReadonlyMap<string, Begun>
  /** By the keys of their heads. */
  readonly alike: ReadonlyMap<string, readonly Begun[]>
  /** Size and last change of one; nothing of one that is gone. */
  readonly stats: (path: string) => Promise<Stats | undefined>
}

type Place = Pick<Begun, 'session' | 'path'>

/** What was seen so lately is taken for what is there. */
const FRESH_MS = 1_000
/** So many files are looked at together. */
const AT_ONCE = 32

/** Knows how transcripts begin. Each is read for that once, unless nothing of its own was said in it yet. */
export class Beginnings {
  readonly #looks = new Map<string, Look>()

  async beside(path: string): Promise<Look> {
    const folder = dirname(path)
    const known = this.#looks.get(folder)
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known
    return this.look(folder, await transcriptsIn(folder).catch(() => []))
  }

  /** Of those that are not among the transcripts any more nothing is known from here on. */
  async look(folder: string, transcripts: readonly Place[]): Promise<Look> {
    const before = this.#looks.get(folder)?.begun
    const begun = new Map<string, Begun>()
    const alike = new Map<string, Begun[]>()
    for (let at = 0; at < transcripts.length; at += AT_ONCE) {
      const some = transcripts.slice(at, at + AT_ONCE)
      for (const each of await Promise.all(some.map((place) => this.learn(place, before?.get(place.path))))) {
        if (each === undefined) continue
        begun.set(each.path, each)
        if (each.head && alike.get(each.head.key)?.push(each) === undefined) alike.set(each.head.key, [each])
      }
    }
    const look = { at: performance.now(), begun, alike, stats: statsOnce() }
    this.#looks.set(folder, look)
    return look
  }

  /** Nothing for one that cannot be read. */
  async learn({ session, path }: Place, known?: Begun): Promise<Begun | undefined> {
    if (known?.whole) return known
    try {
      // Its size before it is read: what is written meanwhile is read the next time.
      const size = known === undefined ? 0 : (await stat(path)).size
      if (known?.size === size) return known
      return { session, path, size, ...(await readBeginning(path, session)) }
    } catch {
      return undefined
    }
  }
}

function statsOnce(): Look['stats'] {
  const asked = new Map<string, Promise<Stats | undefined>>()
  return (path) => {
    const stats = asked.get(path) ?? stat(path).catch(() => undefined)
    asked.set(path, stats)
    return stats
  }
}
