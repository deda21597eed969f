import { failureOf } from '../failures.ts'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed } from '../port.ts'
import { forkedFrom } from './head.ts'
import type { Originals } from './originals.ts'
import type { Presence } from './presence.ts'
import { rowKey } from './row-key.ts'

/** A copied row: the session it is from, where that may be told. */
export interface Copied {
  readonly from: string | null
}

/** What became of a session. */
type Ask = (id: string) => Promise<Presence>

/**
 * Which rows of a session's files are copies: a branch begins with the rows of the session it is from, an older client's resumed
 * session with those of the one it goes on from, and a client that lost its place writes rows of its own again. They count where they
 * were written, as long as that is there; what was forgotten stays forgotten.
 */
export class Copies {
  readonly #session: string
  readonly #path: string
  readonly #ask: Ask
  readonly #seen = new Set<string>()
  /** Rows of the sessions that this one begins with a copy of. */
  readonly #elsewhere = new Map<string, Copied>()
  /** The id in the rows that are a file's own, once a row said another than the session's. */
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
      // One that went meanwhile has no rows any more: what was copied from it is here only.
      const keys = await rowKeysOf(path, signal)
      const copied = (await this.#copiedFrom(session)) ?? { from: session }
      for (const key of keys) this.#elsewhere.set(key, copied)
    }
  }

  /** Where a row of a file is from; nothing for an own one. */
  async origin(row: Fields, path: string): Promise<Copied | undefined> {
    const forked = forkedFrom(row)
    const told = textOf(row.sessionId)
    const copied =
      (await this.#copiedFrom(forked)) ??
      (told === null || told === this.#session || told === (await this.#idWithin(path))
        ? undefined
        : await this.#copiedFrom(told))
    if (copied !== undefined) return copied
    return this.#elsewhere.size === 0 ? undefined : this.#elsewhere.get(rowKey(row) ?? '')
  }

  /** Nothing for a session that is gone: its rows are nowhere else. */
  async #copiedFrom(id: string | null): Promise<Copied | undefined> {
    if (id === null || id === this.#session) return undefined
    const presence = this.#presences.get(id) ?? (await this.#ask(id))
    this.#presences.set(id, presence)
    if (presence === 'gone') return undefined
    return { from: presence === 'there' ? id : null }
  }

  /** Whether the same row was there before. */
  isAgain(row: Fields): boolean {
    const key = rowKey(row, fieldsOf(row.message).usage)
    if (key === undefined) return false
    const { size } = this.#seen
    return this.#seen.add(key).size === size
  }

  /** The session's, or where none of its rows has that, the one they have: somebody gave the file another name. */
  async #idWithin(path: string): Promise<string> {
    const known = this.#own.get(path)
    if (known !== undefined) return known
    let id = this.#session
    for await (const each of jsonLines(path)) {
      const told = 'value' in each ? textOf(each.value.sessionId) : null
      id = told ?? id
      if (told === this.#session) break
    }
    this.#own.set(path, id)
    return id
  }
}

/** The rows of a transcript; none where there is none. */
async function rowKeysOf(path: string, signal?: AbortSignal): Promise<readonly string[]> {
  const keys: string[] = []
  try {
    for await (const each of jsonLines(path, signal)) {
      const key = 'value' in each ? rowKey(each.value) : undefined
      if (key !== undefined) keys.push(key)
    }
  } catch (error) {
    if (failureOf(error, path).code === 'not_found') return []
    throw error
  }
  return keys
}
