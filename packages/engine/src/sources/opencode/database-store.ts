import type { SQLOutputValue } from 'node:sqlite'
import { databaseMark, type Mark } from '../database/marks.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import { formatPlace } from './places.ts'
import { messagesIn, type StoredMessage } from './rows.ts'
import { parseSessionRow, type SessionRow } from './session-metadata.ts'
import { prepareStatements, type Statements } from './statements.ts'
import type { ListedRow, Store } from './store.ts'

/** A database of OpenCode. While it is unchanged, its list is not queried again. */
export class DatabaseStore implements Store {
  readonly path: string
  readonly #database: SharedDatabase<Statements>
  #remembered: { readonly mark: Mark; readonly rows: readonly ListedRow[] } | undefined

  constructor(path: string) {
    this.path = path
    this.#database = new SharedDatabase(path, prepareStatements)
  }

  async rows(signal?: AbortSignal): Promise<readonly ListedRow[]> {
    const mark = databaseMark(this.path)
    if (this.#remembered !== undefined && mark?.settled && this.#remembered.mark.text === mark.text)
      return this.#remembered.rows
    const rows = await this.#ask(signal)
    this.#remembered = mark?.settled && !signal?.aborted ? { mark, rows } : undefined
    return rows
  }

  async session(id: string): Promise<SessionRow | undefined> {
    const row = await this.#database.slice((statements) => statements?.session.get(id))
    return row === undefined ? undefined : parseSessionRow(row as unknown as readonly SQLOutputValue[])
  }

  async children(id: string): Promise<readonly string[]> {
    const rows = await this.#database.slice((statements) => statements?.children.all(id) ?? [])
    return rows
      .map((row) => (row as unknown as readonly unknown[])[0])
      .filter((child) => typeof child === 'string')
  }

  messages(session: string, signal?: AbortSignal): AsyncIterable<StoredMessage> {
    return messagesIn(this.#database, session, signal)
  }

  async #ask(signal: AbortSignal | undefined): Promise<readonly ListedRow[]> {
    const found: ListedRow[] = []
    for (let after = '', more = true; more && !signal?.aborted; ) {
      const rows = await this.#database.slice((statements, over) => {
        const rows: Row[] = []
        more = false
        for (const row of statements?.sessions.iterate(after) ?? []) {
          rows.push(row as unknown as Row)
          more = over()
          if (more) break
        }
        return rows
      })
      for (const row of rows) found.push(toListed(this.path, row))
      after = found.at(-1)?.id ?? after
    }
    return found
  }
}

type Row = readonly [id: string, parent: unknown, at: number, text: string]

const toListed = (path: string, [id, parent, at, text]: Row): ListedRow => ({
  id,
  parent: typeof parent === 'string' ? parent : null,
  at,
  text,
  place: formatPlace(path, id),
})
