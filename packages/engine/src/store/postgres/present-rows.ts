import type { PackedRow } from '../past/packed-rows.ts'
import { ALIVE, CLOSED_SESSION, ENDED, HIDDEN_SESSION, OPEN_SESSION } from '../projections/index.ts'
import type { Connection, Row } from './database.ts'
import { rowKeys, toStoredKey } from './names.ts'
import type { Table } from './projector.ts'

/**
 * Returns everyone who may be visible from a time on, with their whole sessions: agents that are alive,
 * however long silent; agents that ended shortly before; and sessions with events stamped in the future.
 */
export async function presentRows(
  connection: Connection,
  table: Table,
  { endedFrom, after }: { readonly endedFrom: number; readonly after: number },
): Promise<readonly PackedRow[]> {
  const rows = await connection.rows(
    `WITH present AS (
       SELECT grp FROM ${table} WHERE name = 'agents' AND tag = '${ALIVE}'
       UNION SELECT grp FROM ${table} WHERE name = 'agents' AND tag = '${ENDED}' AND ord >= $1
       UNION SELECT grp FROM ${table}
         WHERE name = 'agents' AND tag IN ('${OPEN_SESSION}', '${CLOSED_SESSION}', '${HIDDEN_SESSION}') AND ord > $2
     )
     SELECT r.grp, r.key, r.tag, r.ord, r.doc FROM present AS p JOIN ${table} AS r ON r.name = 'agents' AND r.grp = p.grp
     ORDER BY r.grp, r.key`,
    [endedFrom, after],
  )
  return rows.map(packRow)
}

/** Returns sessions with all of their agents, by session key. */
export async function rowsOfGroups(
  connection: Connection,
  table: Table,
  groups: readonly string[],
): Promise<ReadonlyMap<string, readonly PackedRow[]>> {
  if (groups.length === 0) return new Map()
  const rows = await connection.rows(
    `SELECT grp, key, tag, ord, doc FROM ${table} WHERE name = 'agents' AND grp = ANY($1) ORDER BY grp, key`,
    [groups.map(toStoredKey)],
  )
  return Map.groupBy(rows.map(packRow), ({ group }) => group)
}

const packRow = (row: Row): PackedRow => ({
  ...rowKeys('agents', String(row.key), String(row.grp), String(row.doc)),
  tag: String(row.tag),
  order: Number(row.ord),
  doc: String(row.doc),
})
