import type { SessionRef } from '@panoptes/schema'
import type { JournalLine } from '../../accounts-port.ts'
import type { Connection } from '../database.ts'
import { toStoredKey } from '../names.ts'
import { accountKey } from './load.ts'

export const lineKey = ({
  source,
  session_id,
  journal,
  line,
}: Readonly<Record<'source' | 'session_id' | 'journal' | 'line', string>>): string =>
  toStoredKey(JSON.stringify([source, session_id, journal, line]))

export async function writeJournal(connection: Connection, lines: readonly JournalLine[]): Promise<void> {
  const keyed = new Map(lines.map((line) => [lineKey(line), line]))
  const last = [...keyed.values()]
  await connection.run(
    `INSERT INTO account_journal (key, session, source, session_id, journal, line, mark)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
     ON CONFLICT (key) DO UPDATE SET mark = excluded.mark`,
    [
      [...keyed.keys()],
      last.map(({ source, session_id }) => accountKey(source, session_id)),
      last.map(({ source }) => source),
      last.map(({ session_id }) => session_id),
      last.map(({ journal }) => journal),
      last.map(({ line }) => line),
      last.map(({ mark }) => mark),
    ],
  )
}

export async function readJournal(
  connection: Connection,
  sessions: readonly SessionRef[],
): Promise<readonly JournalLine[]> {
  const rows = await connection.rows(
    `SELECT j.journal, j.source, j.session_id, j.line, j.mark
     FROM unnest($1::text[]) WITH ORDINALITY AS wanted (session, n)
     JOIN account_journal AS j ON j.session = wanted.session
     ORDER BY wanted.n, j.journal, j.line`,
    [sessions.map(({ source, id }) => accountKey(source, id))],
  )
  return rows as readonly unknown[] as readonly JournalLine[]
}
