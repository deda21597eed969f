import { toFailure } from '../failures.ts'
import { type Fields, toFields, toText } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed } from '../port.ts'
import { forkedFrom } from './head.ts'
import type { Original, Originals } from './originals.ts'
import type { Presence } from './presence.ts'
import { rowKey } from './row-key.ts'

/** A copied row and its session, if that may be named. */
export interface Copied {
  readonly from: string | null
}

/** Looks up whether a session exists. */
type Ask = (id: string) => Promise<Presence>

/**
 * Detects which rows of a session are copies. A branch begins with the rows of its origin, a session resumed
 * by an older client with those of its predecessor, and a client that lost its place repeats its own rows.
 * Copies count in the session that wrote them while that exists; rows of a forgotten session stay forgotten.
 */
export class Copies {
  readonly #session: string
  readonly #path: string
  readonly #ask: Ask
  readonly #seen = new Set<string>()
  /** Rows of the sessions that this one begins with a copy of. */
  readonly #elsewhere = new Map<string, Copied>()
  /** The session id of a file's own rows, where it differs from the file name. */
  readonly #own = new Map<string, string>()
  readonly #presences = new Map<string, Presence>()

  constructor({ id, place }: Listed, ask: Ask) {
    this.#session = id
    this.#path = place
    this.#ask = ask
  }

  async compare(originals: Originals, signal?: AbortSignal): Promise<void> {
    for (const { session, path } of await originals.of(
      { session: this.#session, path: this.#path },
      signal,
    )) {
      // A session that vanished meanwhile has no rows, so its copies exist only here.
      const keys = await readRowKeys(path, signal)
      const copied = (await this.#copiedFrom(session)) ?? { from: session }
      // A row that several sessions contain was written by the oldest: forks of one session copy that
      // session, not each other.
      for (const key of keys) if (!this.#elsewhere.has(key)) this.#elsewhere.set(key, copied)
    }
  }

  /** Returns the origin of a copied row; undefined for an own row. */
  async origin(row: Fields, path: string): Promise<Copied | undefined> {
    const forked = forkedFrom(row)
    const sessionId = toText(row.sessionId)
    const copied =
      (await this.#copiedFrom(forked)) ??
      (sessionId === null || sessionId === this.#session || sessionId === (await this.#idWithin(path))
        ? undefined
        : await this.#copiedFrom(sessionId))
    if (copied !== undefined) return copied
    return this.#elsewhere.size === 0 ? undefined : this.#elsewhere.get(rowKey(row) ?? '')
  }

  /** Returns undefined for a session that is gone, because its rows exist nowhere else. */
  async #copiedFrom(id: string | null): Promise<Copied | undefined> {
    if (id === null || id === this.#session) return undefined
    const presence = this.#presences.get(id) ?? (await this.#ask(id))
    this.#presences.set(id, presence)
    if (presence === 'gone') return undefined
    return { from: presence === 'there' ? id : null }
  }

  /** True when the same row occurred before. */
  isAgain(row: Fields): boolean {
    const key = rowKey(row, toFields(row.message).usage)
    if (key === undefined) return false
    const { size } = this.#seen
    return this.#seen.add(key).size === size
  }

  /** Returns the session's id, or the id that all rows have when the file was renamed. */
  async #idWithin(path: string): Promise<string> {
    const cached = this.#own.get(path)
    if (cached !== undefined) return cached
    let id = this.#session
    for await (const each of jsonLines(path)) {
      const sessionId = 'value' in each ? toText(each.value.sessionId) : null
      id = sessionId ?? id
      if (sessionId === this.#session) break
    }
    this.#own.set(path, id)
    return id
  }
}

/** Returns the keys of the rows that a transcript may begin with a copy of. */
export async function copiedRows(originals: Originals, one: Original): Promise<readonly string[]> {
  const keys: string[] = []
  for (const { path } of await originals.of(one)) for (const key of await readRowKeys(path)) keys.push(key)
  return keys
}

/** Reads the keys of a transcript's rows; none when it does not exist. */
async function readRowKeys(path: string, signal?: AbortSignal): Promise<readonly string[]> {
  const keys: string[] = []
  try {
    for await (const each of jsonLines(path, signal)) {
      const key = 'value' in each ? rowKey(each.value) : undefined
      if (key !== undefined) keys.push(key)
    }
  } catch (error) {
    if (toFailure(error, path).code === 'not_found') return []
    throw error
  }
  return keys
}
