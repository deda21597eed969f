import type { DatabaseSync } from 'node:sqlite'
import { numberOf } from '../sqlite/migrations.ts'
import { openForReading } from '../sqlite/open-file.ts'
import { baseSeq, lastSeq } from '../sqlite/writer.ts'
import type { MovedTable, SourceRow } from './tables.ts'

/** A ledger's file, read table by table; nobody writes to it meanwhile. */
export interface MoveSource {
  readonly base: number
  readonly last: number
  readonly forgetKey: Uint8Array
  readonly count: (table: MovedTable) => number
  readonly rows: (table: MovedTable) => Iterable<SourceRow>
  readonly close: () => void
}

export function openSource(file: string): MoveSource {
  const db = openForReading(file)
  return {
    base: baseSeq(db),
    last: lastSeq(db),
    forgetKey: db.prepare("SELECT value FROM meta WHERE name = 'forget_key'").get()?.value as Uint8Array,
    count: ({ from, given }) => given?.length ?? numberOf(db, `SELECT count(*) FROM (${from})`),
    rows: (table) => table.given ?? rowsIn(db, table),
    close: () => db.close(),
  }
}

function* rowsIn(db: DatabaseSync, { from }: MovedTable): Iterable<SourceRow> {
  const statement = db.prepare(from)
  // Sums may be larger than a number holds exactly; PostgreSQL keeps them as fractions.
  statement.setReadBigInts(true)
  for (const row of statement.iterate())
    yield Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    ) as SourceRow
}
