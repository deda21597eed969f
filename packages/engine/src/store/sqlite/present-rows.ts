import type { PackedRow } from '../past/packed-rows.ts'
import { ALIVE, CLOSED_SESSION, ENDED, HIDDEN_SESSION, OPEN_SESSION } from '../projections/index.ts'
import type { Table } from './row-set.ts'
import type { Statements } from './statements.ts'

type Found = Readonly<Record<string, unknown>>

/**
 * Yields everyone who may be visible from a time on, with their whole sessions: agents that are alive,
 * however long silent; agents that ended shortly before; and sessions with events stamped in the future.
 */
export function* presentRows(
  statements: Statements,
  table: Table,
  { endedFrom, after }: { readonly endedFrom: number; readonly after: number },
): Generator<PackedRow, undefined> {
  const tagged = `SELECT grp FROM ${table} INDEXED BY ${table}_tag WHERE name = 'agents' AND tag =`
  const found = statements
    .of(
      `WITH present AS (
         ${tagged} '${ALIVE}'
         UNION ${tagged} '${ENDED}' AND ord >= ?1
         UNION ${tagged} '${OPEN_SESSION}' AND ord > ?2
         UNION ${tagged} '${CLOSED_SESSION}' AND ord > ?2
         UNION ${tagged} '${HIDDEN_SESSION}' AND ord > ?2
       )
       SELECT r.grp, r.key, r.tag, r.ord, r.doc FROM present AS p
       CROSS JOIN ${table} AS r INDEXED BY ${table}_key ON ${OF_GROUP('p.grp')}`,
    )
    .iterate(endedFrom, after)
  for (const row of found) yield packRow(row)
}

/** Returns a session with all of its agents. */
export const rowsOfGroup = (statements: Statements, table: Table, group: string): readonly PackedRow[] =>
  statements
    .of(
      `SELECT r.grp, r.key, r.tag, r.ord, r.doc FROM ${table} AS r INDEXED BY ${table}_key WHERE ${OF_GROUP('?1')}`,
    )
    .all(group)
    .map(packRow)

/** A row's key begins with its group, and the session's own row uses the group as its key. */
const OF_GROUP = (group: string): string =>
  `r.name = 'agents' AND r.key >= ${group} AND r.key < ${group} || char(32) AND r.grp = ${group}`

const packRow = (row: Found): PackedRow => ({
  group: String(row.grp),
  key: String(row.key),
  tag: String(row.tag),
  order: Number(row.ord),
  doc: String(row.doc),
})
