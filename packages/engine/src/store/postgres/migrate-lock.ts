import type { Connection, Database } from './database.ts'
import { LOCKS, release } from './locks.ts'

/** Many processes may start at once: one of them creates the tables of a schema and the others wait. */
export const withMigrationLock = <T>(
  database: Database,
  work: (connection: Connection) => Promise<T>,
): Promise<T> =>
  database.withoutTimeout(async (connection) => {
    await connection.run('SELECT pg_advisory_lock($1, hashtext($2))', [LOCKS.migrate, database.schema])
    try {
      return await work(connection)
    } finally {
      await release(connection, LOCKS.migrate, database.schema)
    }
  })
