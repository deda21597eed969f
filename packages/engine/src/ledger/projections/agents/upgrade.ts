import type { Rows } from '../projection.ts'
import {
  type AgentRow,
  type Book,
  isAgentRow,
  newBook,
  newSession,
  type Row,
  type SessionRow,
} from './row.ts'

type OldBook = Partial<Omit<Book, 'failed'>> & {
  readonly failed?: boolean
  readonly mood?: 'working' | 'waiting' | 'stuck'
}

/** Where retention cut the log, rows are kept as an older version wrote them: what they lack is added when they are met. */
export function upgradeSession(rows: Rows<Row>, group: string, session: SessionRow): SessionRow {
  for (const [key, row] of rows.group(group)) if (isAgentRow(row)) rows.set(key, upgradeAgent(row))
  return { ...newSession(group, session.last_at), ...session }
}

function upgradeAgent(row: AgentRow): AgentRow {
  const { mood, failed, ...book }: OldBook = row.book as object
  const reason = row.wait_reason
  const known = { on: null, call: null, tool: null, about: null, reason, ts: row.last_at }
  return {
    ...row,
    book: {
      ...newBook(row.id, 0),
      unasked: false,
      failed: failed === true ? [Math.max(1, book.starts ?? 1)] : [],
      stuck: mood === 'stuck',
      waits: mood === 'waiting' ? [known] : [],
      ...book,
    },
  }
}
