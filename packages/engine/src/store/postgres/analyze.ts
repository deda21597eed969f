import type { Connection } from './database.ts'

/**
 * Updates the planner's statistics for the tables of this store. Without table names the server would do it
 * for every space of the database.
 */
export async function analyze({ rows, run }: Connection): Promise<void> {
  const tables = await rows(
    `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
  )
  await run(`ANALYZE ${tables.map(({ relname }) => String(relname)).join(', ')}`)
}
