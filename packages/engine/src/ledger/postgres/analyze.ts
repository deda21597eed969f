import type { Connection } from './database.ts'

/** Has the server learn anew what lies in the tables of this ledger; without names it would do so for every space of the database. */
export async function analyze({ rows, run }: Connection): Promise<void> {
  const tables = await rows(
    `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
  )
  await run(`ANALYZE ${tables.map(({ relname }) => String(relname)).join(', ')}`)
}
