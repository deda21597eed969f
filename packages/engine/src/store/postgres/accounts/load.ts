import type { SessionRef } from '@panoptes/schema'
import { KINDS, PLACES, ROW_KINDS, type RowKind } from '../../accounts/facts.ts'
import type { AccountRow, StoredRow } from '../../accounts/store.ts'
import { type Connection, withoutNul } from '../database.ts'
import { toStoredKey } from '../names.ts'

export type RowsOf = Map<number, Map<number, StoredRow>>

export const accountKey = (source: string, session_id: string): string =>
  toStoredKey(JSON.stringify([source, session_id]))

/** Reads what is stored about these sessions, by key. */
export async function loadAccounts(
  connection: Connection,
  sessions: readonly SessionRef[],
): Promise<Map<string, AccountRow>> {
  const rows = await connection.rows('SELECT number, key, day, doc FROM accounts WHERE key = ANY($1)', [
    sessions.map(({ source, id }) => accountKey(source, id)),
  ])
  return new Map(
    rows.map(({ number, key, day, doc }) => [
      String(key),
      { number: Number(number), day: day === null ? null : String(day), doc: String(doc) },
    ]),
  )
}

/** Reads the rows of these accounts, of each kind by account and id. */
export async function loadRows(
  connection: Connection,
  numbers: readonly number[],
): Promise<Readonly<Record<RowKind, RowsOf>>> {
  const loaded = { agents: new Map(), claims: new Map(), followups: new Map(), uses: new Map() }
  if (numbers.length === 0) return loaded
  for (const kind of ROW_KINDS) {
    const rows = await connection.rows(
      `SELECT own.* FROM unnest($1::bigint[]) AS wanted (number)
       CROSS JOIN LATERAL (
         SELECT * FROM account_${kind} WHERE id >= wanted.number * ${PLACES} AND id < (wanted.number + 1) * ${PLACES}
       ) AS own ORDER BY own.id`,
      [numbers],
    )
    const byAccount: RowsOf = loaded[kind]
    for (const row of rows) {
      const id = Number(row.id)
      const account = Math.floor(id / PLACES)
      const own = byAccount.get(account) ?? new Map<number, StoredRow>()
      byAccount.set(account, own)
      own.set(id, {
        at: row.at === null ? null : Number(row.at),
        source: Number(row.source),
        project: Number(row.project),
        kinds: KINDS[kind].map((name) => Number(row[name])),
        doc: String(row.doc),
      })
    }
  }
  return loaded
}

/** Returns the numbers of these names, and assigns numbers to new ones. */
export async function loadNames(
  connection: Connection,
  names: Iterable<string>,
): Promise<(name: string) => number | undefined> {
  const wanted = new Map([...names].map((name) => [nameKey(name), name]))
  const found = await connection.rows('SELECT id, key FROM account_names WHERE key = ANY($1)', [
    [...wanted.keys()],
  ])
  const numbers = new Map(found.map(({ id, key }) => [String(key), Number(id)]))
  const missing = [...wanted].filter(([key]) => !numbers.has(key))
  if (missing.length > 0) {
    const inserted = await connection.rows(
      'INSERT INTO account_names (key, name) SELECT * FROM unnest($1::text[], $2::text[]) RETURNING id, key',
      [missing.map(([key]) => key), missing.map(([, name]) => name)],
    )
    for (const { id, key } of inserted) numbers.set(String(key), Number(id))
  }
  return (name) => numbers.get(nameKey(name))
}

export const nameKey = (name: string): string => toStoredKey(withoutNul(name))

export async function lastNumber(connection: Connection): Promise<number> {
  const row = await connection.row('SELECT coalesce(max(number), 0) AS last FROM accounts')
  return Number(row?.last)
}
