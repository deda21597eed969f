import { Refused } from '@panoptes/engine/threads'
import { failure } from '@panoptes/schema/result'
import { type Connection, type Database, within } from '../../postgres/database.ts'
import { LOCKS } from '../../postgres/locks.ts'
import { teamMigrations } from './tables.ts'

/** Makes the schema and brings it up to date; hubs that come up at once wait for the first. */
export async function migrateTeam(database: Database): Promise<void> {
  await database.patiently(async (connection) => {
    const of = [LOCKS.migrate, database.schema] as const
    await connection.run('SELECT pg_advisory_lock($1, hashtext($2))', of)
    try {
      await upToDate(connection, database.schema)
    } finally {
      await connection.run('SELECT pg_advisory_unlock($1, hashtext($2))', of)
    }
  })
}

async function upToDate(connection: Connection, schema: string): Promise<void> {
  const { row, run } = connection
  const found = await row(
    `SELECT current_setting('server_encoding') AS encoding, to_regnamespace($1) IS NOT NULL AS made`,
    [schema],
  )
  if (found?.encoding !== 'UTF8')
    throw new Refused(
      failure('invalid', 'The database has to be in UTF8. Make one with: createdb --encoding UTF8.'),
    )
  // Whoever may not make a schema can still use one.
  if (found.made !== true) await run(`CREATE SCHEMA ${schema}`)
  const versions = await row(`SELECT to_regclass($1) IS NOT NULL AS made`, [`${schema}.schema_versions`])
  if (versions?.made !== true) await run('CREATE TABLE schema_versions (version integer PRIMARY KEY)')
  const last = await row('SELECT max(version) AS version FROM schema_versions')
  for (const [at, migration] of teamMigrations.entries()) {
    if (at < Number(last?.version ?? 0)) continue
    await within(connection, 'BEGIN', async () => {
      await run(migration)
      await run('INSERT INTO schema_versions VALUES ($1)', [at + 1])
    })
  }
}
