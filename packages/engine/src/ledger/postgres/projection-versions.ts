import { projections } from '../projections/index.ts'
import type { Connection, Database } from './database.ts'

type Versions = readonly { readonly name: string; readonly version: number }[]

const columnsOf = (versions: Versions) => [
  versions.map(({ name }) => name),
  versions.map(({ version }) => version),
]

/** Rows that only another program has are not kept up by this one. */
const DROP_OTHERS = 'DELETE FROM projection_versions WHERE name <> ALL($1::text[])'

/** The kept rows are made by the projections of this program. */
export async function rememberVersions({ run }: Pick<Connection, 'run'>): Promise<void> {
  await run(
    `WITH others AS (${DROP_OTHERS})
     INSERT INTO projection_versions SELECT * FROM unnest($1::text[], $2::integer[])
     ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
    columnsOf(projections),
  )
}

/** Where a newer program made the kept rows, this one now changes some of them in its own way: the next newer one that opens makes all of them anew. */
export async function setVersionsBack({ run }: Pick<Connection, 'run'>): Promise<void> {
  await run(
    `WITH others AS (${DROP_OTHERS})
     UPDATE projection_versions AS kept SET version = own.version
     FROM unnest($1::text[], $2::integer[]) AS own (name, version) WHERE kept.name = own.name AND kept.version > own.version`,
    columnsOf(projections),
  )
}

/** Whether the kept rows were made by other projections than this program has. An empty log needs no rebuild. */
export async function rowsAreStale(database: Database, own: Versions = projections): Promise<boolean> {
  const rows = await database.rows('SELECT name, version FROM projection_versions')
  const known = new Map(rows.map((row) => [String(row.name), Number(row.version)]))
  // What a newer program keeps stays as it is.
  if (own.every(({ name, version }) => (known.get(name) ?? 0) >= version)) return false
  const head = await database.row('SELECT last FROM head')
  if (Number(head?.last) > 0) return true
  await rememberVersions(database)
  return false
}
