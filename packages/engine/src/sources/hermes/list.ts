import { hash } from 'node:crypto'
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite'
import { toDatabaseFailure } from '../database/failures.ts'
import { databaseMark, type Mark } from '../database/marks.ts'
import type { ListRecord } from '../port.ts'
import { formatPlace, type StateFile, stateFilesIn } from './places.ts'
import { OWNER, type StateDatabase } from './state-database.ts'

interface Found {
  readonly id: string
  readonly fingerprint: string
  readonly at: number
}

interface Remembered {
  readonly mark: Mark
  readonly found: readonly Found[]
}

/** Lists the sessions of a home. An unchanged database is not queried again. */
export class Lister {
  readonly #home: string
  readonly #databaseAt: (path: string) => StateDatabase
  readonly #remembered = new Map<string, Remembered>()

  constructor(home: string, databaseAt: (path: string) => StateDatabase) {
    this.#home = home
    this.#databaseAt = databaseAt
  }

  async *list(signal?: AbortSignal): AsyncGenerator<ListRecord> {
    const taken = new Set<string>()
    for (const file of await stateFilesIn(this.#home)) {
      if (signal?.aborted) return
      try {
        for (const { id, fingerprint } of await this.#foundIn(file.path, signal)) {
          const name = uniqueName(id, file, taken)
          taken.add(name)
          yield { kind: 'listed', id: name, fingerprint, place: formatPlace(file.path, id) }
        }
      } catch (error) {
        yield { kind: 'failed', failure: toDatabaseFailure(error, file.path, OWNER) }
      }
    }
  }

  async #foundIn(path: string, signal: AbortSignal | undefined): Promise<readonly Found[]> {
    const mark = databaseMark(path)
    const remembered = this.#remembered.get(path)
    if (remembered !== undefined && mark?.settled && remembered.mark.text === mark.text)
      return remembered.found
    const found = await foundIn(this.#databaseAt(path), signal)
    this.#remembered.delete(path)
    if (mark?.settled && !signal?.aborted) this.#remembered.set(path, { mark, found })
    return found
  }
}

/** A copied profile has the same session ids, so its sessions get the profile as a suffix. */
const uniqueName = (id: string, { profile }: StateFile, taken: ReadonlySet<string>): string =>
  taken.has(id) ? `${id}@${profile}` : id

/**
 * Lists the newest session first. The fingerprint covers everything read from the session's row and the
 * number and state of its messages.
 */
async function foundIn(database: StateDatabase, signal: AbortSignal | undefined): Promise<readonly Found[]> {
  const counts = await countsIn(database, signal)
  const found: Found[] = []
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const rows = await database.slice((statements, over) => {
      const rows: (readonly [id: string, at: number, row: string])[] = []
      more = false
      for (const row of statements?.sessions.iterate(after) ?? []) {
        rows.push(row as unknown as (typeof rows)[number])
        more = over()
        if (more) break
      }
      return rows
    })
    for (const [id, at, row] of rows) {
      after = id
      found.push({ id, at, fingerprint: hash('sha1', `${row}\u0002${counts.get(id) ?? ''}`, 'base64url') })
    }
  }
  return found.sort((a, b) => b.at - a.at)
}

async function countsIn(
  database: StateDatabase,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<unknown, string>> {
  const counts = new Map<unknown, string>()
  for (let after: SQLInputValue = '', more = true; more && !signal?.aborted; ) {
    const from: SQLInputValue = after
    const slice = await database.slice((statements, over) => {
      const bySession = new Map<SQLInputValue, string>()
      let last: SQLInputValue = null
      more = false
      for (const row of statements?.counts.iterate(from) ?? []) {
        const [session, ...numbers] = row as unknown as [SQLInputValue, ...SQLOutputValue[]]
        if (statements?.countsFlow && session !== last && last !== null && over()) {
          more = true
          break
        }
        bySession.set(session, `${bySession.get(session) ?? ''} ${numbers.join('.')}`)
        last = session
      }
      return { bySession, last }
    })
    for (const [session, text] of slice.bySession) counts.set(session, text)
    after = slice.last
  }
  return counts
}
