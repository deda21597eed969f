import type { SessionRef } from '@panoptes/schema'
import type { JournalLine } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'

export function writeJournal(statements: Statements, lines: readonly JournalLine[]): void {
  const put = statements.of(
    `INSERT INTO account_journal (source, session_id, journal, line, mark) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (source, session_id, journal, line) DO UPDATE SET mark = excluded.mark`,
  )
  for (const { source, session_id, journal, line, mark } of lines)
    put.run(source, session_id, journal, line, mark)
}

export function readJournal(statements: Statements, sessions: readonly SessionRef[]): readonly JournalLine[] {
  const find = statements.of(
    `SELECT journal, source, session_id, line, mark FROM account_journal
     WHERE source = ? AND session_id = ? ORDER BY journal, line`,
  )
  return sessions.flatMap(({ source, id }) => find.all(source, id) as unknown as JournalLine[])
}
