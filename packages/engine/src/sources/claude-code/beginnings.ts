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

/** The transcripts of a project with their beginnings. */
export interface Look {
  readonly at: number
  /** Beginnings by the path of the transcript. */
  readonly begun: ReadonlyMap<string, Begun>
  /** Beginnings by the key of their head. */
  readonly alike: ReadonlyMap<string, readonly Begun[]>
  /** Returns the size and last change of a file; undefined when it is gone. */
  readonly stats: (path: string) => Promise<Stats | undefined>
}

type Place = Pick<Begun, 'session' | 'path'>

/** A result this recent counts as current. */
const FRESH_MS = 1_000
/** The number of files checked in parallel. */
const AT_ONCE = 32

/** Knows how transcripts begin. Each beginning is read once, or again while it has no own message yet. */
export class Beginnings {
  readonly #looks = new Map<string, Look>()

  async beside(path: string): Promise<Look> {
    const folder = dirname(path)
    const cached = this.#looks.get(folder)
    if (cached !== undefined && performance.now() - cached.at < FRESH_MS) return cached
    return this.look(folder, await transcriptsIn(folder).catch(() => []))
  }

  /** Beginnings of transcripts that no longer exist are forgotten here. */
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

  /** Returns undefined for an unreadable transcript. */
  async learn({ session, path }: Place, previous?: Begun): Promise<Begun | undefined> {
    if (previous?.whole) return previous
    try {
      // The size is taken before reading, so that rows written meanwhile are read next time.
      const size = previous === undefined ? 0 : (await stat(path)).size
      if (previous?.size === size) return previous
      return { session, path, size, ...(await readBeginning(path, session)) }
    } catch {
      return undefined
    }
  }
}

function statsOnce(): Look['stats'] {
  const cache = new Map<string, Promise<Stats | undefined>>()
  return (path) => {
    const stats = cache.get(path) ?? stat(path).catch(() => undefined)
    cache.set(path, stats)
    return stats
  }
}
