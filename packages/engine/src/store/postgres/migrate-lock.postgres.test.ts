import { expect, it } from 'vitest'
import { sharedPostgres } from '../../../../../e2e/setup/shared-servers.ts'
import { openDatabase } from './database.ts'
import { withMigrationLock } from './migrate-lock.ts'

it('reports the first error when the connection to the database breaks along with it', async () => {
  const database = openDatabase(sharedPostgres(), 'migrate_lock')
  try {
    await expect(
      withMigrationLock(database, async ({ run }) => {
        await run('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
        throw new Error('a table is missing')
      }),
    ).rejects.toThrow('a table is missing')
    expect(await withMigrationLock(database, async () => 'free again')).toBe('free again')
  } finally {
    await database.close()
  }
})
