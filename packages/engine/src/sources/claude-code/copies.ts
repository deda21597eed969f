import { hash } from 'node:crypto'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'

/** The session that a copied row is from, where that is known. */
export interface Copied {
  readonly from: string | null
}

/**
 * Which rows of a session's files are copies: a branch begins with the rows of the session it is from, an older client's resumed
 * session with those of the one it goes on from, and a client that lost its place writes rows of its own again. They count where they were
 * written.
 */
export class Copies {
  readonly #session: string
  readonly #path: string
  readonly #seen = new Set<string>()
  /** The id in the rows that are the session's own, once a row said another than the file's name. */
  #own: string | undefined

  constructor(session: string, path: string) {
    this.#session = session
    this.#path = path
  }

  /** Where a row is from; nothing for an own one. */
  async origin(row: Fields): Promise<Copied | undefined> {
    if (row.forkedFrom) return { from: textOf(row.forkedFrom) ?? textOf(fieldsOf(row.forkedFrom).sessionId) }
    const told = textOf(row.sessionId)
    if (told === null || told === this.#session) return undefined
    this.#own ??= await idWithin(this.#path, this.#session)
    return told === this.#own ? undefined : { from: told }
  }

  /** Whether the same row was there before. */
  isAgain(row: Fields): boolean {
    const uuid = textOf(row.uuid)
    if (uuid === null) return false
    const key = hash('sha1', `${uuid} ${JSON.stringify(row.message ?? row.content)}`, 'base64url')
    if (this.#seen.has(key)) return true
    this.#seen.add(key)
    return false
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
