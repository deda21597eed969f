import { projections } from '../projections/index.ts'
import type { Connection, Database } from './database.ts'

type Versions = readonly { readonly name: string; readonly version: number }[]

const versionColumns = (versions: Versions) => [
  versions.map(({ name }) => name),
  versions.map(({ version }) => version),
]

/** This program does not maintain the rows of projections that only another program has. */
const DROP_OTHERS = 'DELETE FROM projection_versions WHERE name <> ALL($1::text[])'

/** Records that the stored rows were made by the projections of this program. */
export async function rememberVersions({ run }: Pick<Connection, 'run'>): Promise<void> {
  await run(
    `WITH others AS (${DROP_OTHERS})
     INSERT INTO projection_versions SELECT * FROM unnest($1::text[], $2::integer[])
     ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
    versionColumns(projections),
  )
}

/**
 * After a newer program made the rows, this one changes some of them in its own way. So the next newer
 * program that opens the store has to rebuild all of them.
 */
export async function setVersionsBack({ run }: Pick<Connection, 'run'>): Promise<void> {
  await run(
    `WITH others AS (${DROP_OTHERS})
     UPDATE projection_versions AS kept SET version = own.version
     FROM unnest($1::text[], $2::integer[]) AS own (name, version) WHERE kept.name = own.name AND kept.version > own.version`,
    versionColumns(projections),
  )
}

/**
 * Returns whether the stored rows were made by other projections than this program's. An empty log needs no
 * rebuild.
 */
export async function rowsAreStale(database: Database, own: Versions = projections): Promise<boolean> {
  const rows = await database.rows('SELECT name, version FROM projection_versions')
  const storedVersions = new Map(rows.map((row) => [String(row.name), Number(row.version)]))
  // The rows of a newer program stay as they are.
  if (own.every(({ name, version }) => (storedVersions.get(name) ?? 0) >= version)) return false
  const head = await database.row('SELECT last FROM head')
  if (Number(head?.last) > 0) return true
  await rememberVersions(database)
  return false
}
