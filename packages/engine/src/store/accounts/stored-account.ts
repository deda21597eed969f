import type { Account, SessionRef } from '@panoptes/schema'
import type { AccountDoc } from './account-writes.ts'
import type { Dialect } from './dialect.ts'
import { type QueryGenerator, queryRow, queryRows } from './dialect.ts'
import { PLACES, type RowKind } from './facts.ts'

/** Reads one account as it was stored. */
export function* queryAccount({ isAccount }: Dialect, session: SessionRef): QueryGenerator<Account | null> {
  const { sql, values } = isAccount(session)
  const row = yield* queryRow(`SELECT number, fingerprint, made_of, doc FROM accounts WHERE ${sql}`, values)
  if (row === undefined) return null
  const number = Number(row.number)
  function* docs<T>(kind: RowKind): QueryGenerator<T[]> {
    const rows = yield* queryRows(`SELECT doc FROM account_${kind} WHERE id >= ? AND id < ? ORDER BY id`, [
      number * PLACES,
      (number + 1) * PLACES,
    ])
    return rows.map(({ doc }) => JSON.parse(String(doc)))
  }
  const { title, project, last_at, cells, outside } = JSON.parse(String(row.doc)) as AccountDoc
  return {
    source: session.source,
    session_id: session.id,
    fingerprint: String(row.fingerprint),
    from: row.made_of as Account['from'],
    title,
    project,
    last_at,
    agents: yield* docs('agents'),
    claims: yield* docs('claims'),
    skills: yield* docs('uses'),
    cells: cells.map(({ cell }) => cell),
    ...(outside && { outside }),
  }
}
