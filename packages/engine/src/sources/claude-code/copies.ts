import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import type { Listed } from '../port.ts'
import type { Originals } from './originals.ts'
import { rowKey } from './row-key.ts'

/** The session that a copied row is from, where that is known. */
export interface Copied {
  readonly from: string | null
}

/**
 * Which rows of a session's files are copies: a branch begins with the rows of the session it is from, an older client's resumed
 * session with those of the one it goes on from, and a client that lost its place writes rows of its own again. They count where they
 * were written.
 */
export class Copies {
  readonly #session: string
  readonly #path: string
  readonly #seen = new Set<string>()
  /** Rows of the sessions that this one begins with a copy of. */
  readonly #elsewhere = new Map<string, Copied>()
  /** The id in the rows that are the session's own, once a row said another than the file's name. */
  #own: string | undefined

  constructor({ id, place }: Listed) {
    this.#session = id
    this.#path = place
  }

  async compare(originals: Originals, signal?: AbortSignal): Promise<void> {
    for (const { session, path } of await originals.of(this.#session, this.#path)) {
      for await (const each of jsonLines(path, signal)) {
        const key = 'value' in each ? rowKey(each.value) : undefined
        if (key !== undefined) this.#elsewhere.set(key, { from: session })
      }
    }
  }

  /** Where a row is from; nothing for an own one. */
  async origin(row: Fields): Promise<Copied | undefined> {
    if (row.forkedFrom) return { from: textOf(row.forkedFrom) ?? textOf(fieldsOf(row.forkedFrom).sessionId) }
    const told = textOf(row.sessionId)
    if (told !== null && told !== this.#session) {
      this.#own ??= await idWithin(this.#path, this.#session)
      if (told !== this.#own) return { from: told }
    }
    return this.#elsewhere.size === 0 ? undefined : this.#elsewhere.get(rowKey(row) ?? '')
  }

  /** Whether the same row was there before. */
  isAgain(row: Fields): boolean {
    const key = rowKey(row, fieldsOf(row.message).usage)
    if (key === undefined) return false
    const { size } = this.#seen
    return this.#seen.add(key).size === size
  }
}

/** The id that a transcript's rows have, if it is not that of its name: somebody gave the file another. */
async function idWithin(path: string, session: string): Promise<string> {
  let id = session
  for await (const each of jsonLines(path)) {
    const told = 'value' in each ? textOf(each.value.sessionId) : null
    if (told === session) return session
    id = told ?? id
  }
  return id
}
