import { hash } from 'node:crypto'
import type { SharedDatabase } from '../database/shared-database.ts'
import { columnText } from '../database/text.ts'
import type { Listed } from '../port.ts'
import { placeOf } from './places.ts'
import type { Statements } from './statements.ts'

type Row = readonly [id: string, at: bigint, doc: string, newest: bigint | null]

/**
 * The newest first. Whatever changes in a conversation is told in its own row too, with the one exception of an answer while it is
 * being written, and that is read when it ended.
 */
export async function conversationsIn(
  database: SharedDatabase<Statements>,
  signal?: AbortSignal,
): Promise<readonly Listed[]> {
  const found: (Listed & { readonly at: bigint })[] = []
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const from = after
    const rows = await database.slice((statements, over) => {
      const rows: Row[] = []
      more = false
      for (const row of statements?.sessions.iterate(from) ?? []) {
        rows.push(row as unknown as Row)
        more = over()
        if (more) break
      }
      return rows
    })
    for (const [id, at, doc, newest] of rows) {
      after = id
      const fingerprint = hash('sha1', `${columnText(doc)}\u0002${newest}`, 'base64url')
      found.push({ id, fingerprint, place: placeOf(database.path, id), at })
    }
  }
  return found
    .sort((a, b) => Number(b.at - a.at))
    .map(({ id, fingerprint, place }) => ({ id, fingerprint, place }))
}
