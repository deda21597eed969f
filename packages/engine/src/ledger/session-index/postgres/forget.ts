import type { SessionRef } from '@panoptes/schema'
import type { Connection, Database } from '../../postgres/database.ts'
import type { ForgottenCounts } from '../forget.ts'
import { merge } from './merge.ts'
import type { State } from './state.ts'

/** How much of these is in the index. */
export async function aboutSessions(
  { rows }: Connection,
  sessions: readonly SessionRef[],
): Promise<ForgottenCounts> {
  const found = await rows(
    `SELECT sum(s.messages) AS messages
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (source, id, n) JOIN index_sessions AS s USING (source, id)
     GROUP BY asked.n`,
    [sessions.map(({ source }) => source), sessions.map(({ id }) => id)],
  )
  return {
    sessions: found.length,
    messages: found.reduce((sum, { messages }) => sum + Number(messages), 0),
  }
}

/** Words that were taken out stay in their part until it is put together anew. */
export async function mend(connection: Connection, state: State): Promise<null> {
  for (const part of state.parts.torn) {
    const { segments } = state.parts.of(part)
    if (segments.length > 0)
      await merge(
        connection,
        state,
        part,
        segments.map(({ segment }) => segment),
      )
    await connection.run('UPDATE index_parts SET torn = false WHERE number = $1', [part])
    state.parts.of(part).torn = false
  }
  return null
}

/** Pages keep traces of what was in them: the tables are written anew. */
export async function scrub({ rows, run }: Database): Promise<void> {
  const tables = await rows(
    `SELECT relname FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname LIKE 'index\\_%' ORDER BY relname`,
  )
  for (const { relname } of tables) await run(`VACUUM (FULL, ANALYZE) ${String(relname)}`)
}
