import { hash } from 'node:crypto'
import { databaseFailureOf } from '../database/failures.ts'
import { type Mark, markOf } from '../database/marks.ts'
import type { ListRecord } from '../port.ts'
import { rootOf } from '../roots.ts'
import { type OpenCodeDatabase, OWNER } from './database.ts'
import { databasesIn, placeOf } from './places.ts'

interface Found {
  readonly id: string
  readonly fingerprint: string
  readonly at: number
}

interface Remembered {
  readonly mark: Mark
  readonly found: readonly Found[]
}

/** Lists the sessions of a home. A database of which nothing changed is not asked again. */
export class Lister {
  readonly #home: string
  readonly #databaseOf: (path: string) => OpenCodeDatabase
  readonly #remembered = new Map<string, Remembered>()

  constructor(home: string, databaseOf: (path: string) => OpenCodeDatabase) {
    this.#home = home
    this.#databaseOf = databaseOf
  }

  async *list(signal?: AbortSignal): AsyncGenerator<ListRecord> {
    const taken = new Set<string>()
    for (const path of await databasesIn(this.#home)) {
      if (signal?.aborted) return
      try {
        for (const { id, fingerprint } of await this.#foundIn(path, signal)) {
          if (taken.has(id)) continue
          taken.add(id)
          yield { kind: 'listed', id, fingerprint, place: placeOf(path, id) }
        }
      } catch (error) {
        yield { kind: 'failed', failure: databaseFailureOf(error, path, OWNER) }
      }
    }
  }

  async #foundIn(path: string, signal: AbortSignal | undefined): Promise<readonly Found[]> {
    const mark = markOf(path)
    const known = this.#remembered.get(path)
    if (known !== undefined && mark?.settled && known.mark.text === mark.text) return known.found
    const found = grouped(await rowsIn(this.#databaseOf(path), signal))
    this.#remembered.delete(path)
    if (mark?.settled && !signal?.aborted) this.#remembered.set(path, { mark, found })
    return found
  }
}

type Row = readonly [id: string, parent: unknown, at: number, text: string]

async function rowsIn(database: OpenCodeDatabase, signal: AbortSignal | undefined): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const rows = await database.slice((statements, over) => {
      const rows: Row[] = []
      more = false
      for (const row of statements?.sessions.iterate(after) ?? []) {
        rows.push(row as unknown as Row)
        more = over()
        if (more) break
      }
      return rows
    })
    found.push(...rows)
    after = rows.at(-1)?.[0] ?? after
  }
  return found
}

/** Sessions with those they made, the newest first: a session changes when one of these does. */
function grouped(rows: readonly Row[]): readonly Found[] {
  const parents = new Map(rows.map(([id, parent]) => [id, typeof parent === 'string' ? parent : null]))
  const groups = new Map<string, { at: number; texts: string[] }>()
  for (const [id, , at, text] of rows) {
    const root = rootOf(id, (each) => parents.get(each))
    const group = groups.get(root)
    if (group === undefined) groups.set(root, { at, texts: [text] })
    else {
      group.texts.push(text)
      group.at = Math.max(group.at, at)
    }
  }
  return [...groups]
    .map(([id, { at, texts }]) => ({ id, at, fingerprint: hash('sha1', texts.join('\u0002'), 'base64url') }))
    .sort((a, b) => b.at - a.at)
}
