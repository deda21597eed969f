import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { Beginnings, type Begun, type Look } from './beginnings.ts'
import type { Head } from './head.ts'
import { type Transcript, transcriptPath } from './places.ts'

export interface Original {
  readonly session: string
  readonly path: string
}

type Headed = Begun & { readonly head: Head }

/**
 * A file that is this much younger than its first row may begin with a copy, and so may one with a row from
 * the future.
 */
const LATE_MS = 1_000
const EARLY_MS = 86_400_000
/** File system clocks may be this coarse. */
const COARSE_MS = 2_000

/**
 * Finds the transcripts that another one begins with a copy of. A forked session (`--fork-session`) contains
 * the rows of the old one under its own id, or those since its last compaction, and only their uuids reveal
 * it.
 */
export class Originals {
  readonly #beginnings = new Beginnings()
  readonly #holders = new Holders()

  /** Records the current transcripts of a project. */
  look(folder: string, transcripts: readonly Transcript[]): Promise<Look> {
    return this.#beginnings.look(folder, transcripts)
  }

  /** Returns the originals of a transcript, the newest last. */
  async of(one: Original, signal?: AbortSignal, lookedAt?: Look): Promise<readonly Original[]> {
    const own = await this.#beginnings.learn(one, lookedAt?.begun.get(one.path))
    if (!hasHead(own) || !mayBeCopied(own.head)) return []
    const look = lookedAt ?? (await this.#beginnings.beside(one.path))
    const { head } = own
    const isBefore = (a: Headed, b: Headed) =>
      !isFrom(look, a, b.session) && (isFrom(look, b, a.session) || isOlder(a, b))
    const found = (look.alike.get(head.key) ?? []).filter(hasHead).filter((each) => isBefore(each, own))
    if (head.goesOn)
      for (const each of look.begun.values())
        if (hasHead(each) && isBefore(each, own) && !found.includes(each))
          if (await this.#holds(look, each, head, signal)) found.push(each)
    return found.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  /**
   * Checks whether a transcript contains the summary that another begins with. It must have existed when the
   * summary was written, and have changed since.
   */
  async #holds(
    { stats }: Look,
    { path, head }: Headed,
    { uuid, messageAt }: Head,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (head.writtenAt > messageAt) return false
    const found = await stats(path)
    if (found === undefined || (messageAt < Date.now() && found.mtimeMs + COARSE_MS < messageAt)) return false
    return this.#holders.has({ path, size: found.size }, uuid, signal)
  }
}

const hasHead = (begun: Begun | undefined): begun is Headed => Boolean(begun?.head)

const mayBeCopied = ({ goesOn, messageAt, writtenAt, bornAt }: Head): boolean =>
  goesOn || writtenAt > messageAt || bornAt > messageAt + LATE_MS || messageAt > bornAt + EARLY_MS

/** True when a transcript names a session as its origin, directly or through others. */
function isFrom({ begun }: Look, { from, path }: Begun, session: string): boolean {
  const named = new Set(from)
  for (const id of named)
    for (const more of begun.get(transcriptPath(dirname(path), id))?.from ?? []) named.add(more)
  return named.has(session)
}

function isOlder(a: Headed, b: Headed): boolean {
  if (a.head.writtenAt !== b.head.writtenAt) return a.head.writtenAt < b.head.writtenAt
  if (a.head.bornAt !== b.head.bornAt) return a.head.bornAt < b.head.bornAt
  return a.session < b.session
}

const CHUNK = 262_144
const MAX_CACHED = 100_000

interface File {
  readonly path: string
  readonly size: number
}

/** Remembers which files contain certain words. Files only grow, so each part is searched once. */
export class Holders {
  readonly #cache = new Map<string, { readonly size: number; readonly found: boolean }>()

  /** An unreadable file counts as not containing the words. */
  async has({ path, size }: File, words: string, signal?: AbortSignal): Promise<boolean> {
    const name = `${words}\n${path}`
    const cached = this.#cache.get(name)
    if (cached?.found || cached?.size === size) return cached.found
    const from = cached !== undefined && cached.size < size ? Math.max(0, cached.size - words.length) : 0
    const found = await contains(path, words, from, signal)
    if (found === undefined) return false
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    this.#cache.set(name, { size, found })
    return found
  }
}

/** Returns undefined when the file could not be searched to its end. */
async function contains(
  path: string,
  words: string,
  start: number,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  let held: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, start })) {
      if (signal?.aborted) return undefined
      const bytes = Buffer.concat([held, chunk as Buffer])
      if (bytes.includes(words)) return true
      held = bytes.subarray(Math.max(0, bytes.length - words.length))
    }
  } catch {
    return undefined
  }
  return false
}
