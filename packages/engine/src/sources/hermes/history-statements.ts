import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnsOf, prepared } from '../database/ask.ts'
import { sorts } from './statements.ts'

/** A longer text is not read with others: only its length is, and it is asked for by itself. */
const LONG_TEXT = 131_072
const MOST_TITLE = 4_096
const PREVIEW = 63

export interface HistoryStatements {
  /** The sessions after an id, by id. */
  readonly sessions: StatementSync
  /** How many sessions have an id that is no text. */
  readonly unnamed: StatementSync
  /** For the sessions after an id: how many messages of which state, their ids added up, and the newest time. */
  readonly counts: StatementSync
  readonly countsFlow: boolean
  /** Of the messages of a session in one state: how many compaction put away, and their ids added up. */
  readonly compacted: StatementSync | undefined
  /** How many messages of a session there are up to an id. */
  readonly left: StatementSync
  /** So many messages of a session after an id that count, by id. Of a long text only the length; the ids of calls where they are wanted. */
  readonly messages: StatementSync
  /** Whether messages of a session are of the same moment, as copies are; nothing where that takes as long as to read them. */
  readonly repeats: StatementSync | undefined
  /** Both texts of a message. */
  readonly texts: StatementSync
  /** The beginning of what a person first said. */
  readonly preview: StatementSync
}

/** The statements that a database can answer, by the columns it has. */
export function historyStatements(db: DatabaseSync): HistoryStatements | undefined {
  const sessions = columnsOf(db, 'sessions')
  const messages = columnsOf(db, 'messages')
  if (!sessions.has('id') || !['id', 'session_id', 'role'].every((name) => messages.has(name)))
    return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  const real = (columns: ReadonlySet<string>, name: string) =>
    columns.has(name) ? `CAST(${name} AS REAL)` : 'NULL'
  const text = (columns: ReadonlySet<string>, name: string) => (columns.has(name) ? name : 'NULL')
  const flag = (name: string) => (sessions.has(name) ? `${name} IS NOT 0 AND ${name} IS NOT NULL` : '0')
  const { sql: counts, byState } = countsOf(db, messages)
  return {
    sessions: prepare(
      `SELECT id, ${text(sessions, 'source')}, ${text(sessions, 'model')},
         substr(${text(sessions, 'title')}, 1, ${MOST_TITLE}), ${real(sessions, 'started_at')},
         ${real(sessions, 'last_activity_at')}, (${flag('archived')}) OR (${flag('hidden')}),
         ${text(sessions, 'message_count')}, ${text(sessions, 'rewind_count')}
       FROM sessions WHERE id > ? AND typeof(id) = 'text' ORDER BY id`,
    ),
    unnamed: prepare("SELECT count(*) FROM sessions WHERE id >= x'' OR id < '' OR id IS NULL"),
    counts: prepare(counts),
    countsFlow: !sorts(db, counts),
    compacted: byState && messages.has('compacted') ? prepare(COMPACTED) : undefined,
    left: prepare('SELECT count(*) FROM messages WHERE session_id = ? AND id <= ?'),
    messages: prepare(messagesOf(db, messages)),
    repeats: repeatsOf(db, messages, prepare),
    texts: prepare(
      `SELECT ${text(messages, 'content')}, ${text(messages, 'tool_calls')} FROM messages WHERE id = ?`,
    ),
    preview: prepare(previewOf(messages)),
  }
}

const COMPACTED = `SELECT count(*), total(id) FROM messages
  WHERE session_id = ? AND active IS ? AND compacted IS NOT 0 AND compacted IS NOT NULL`

function countsOf(
  db: DatabaseSync,
  messages: ReadonlySet<string>,
): { readonly sql: string; readonly byState: boolean } {
  const newest = messages.has('timestamp') ? 'max(timestamp)' : 'NULL'
  const from = 'FROM messages WHERE session_id > ? GROUP BY session_id'
  const bySession = `SELECT session_id, 1, count(*), total(id), ${newest} ${from} ORDER BY session_id`
  if (!messages.has('active')) return { sql: bySession, byState: false }
  const byState = `SELECT session_id, active, count(*), total(id), ${newest} ${from}, active ORDER BY session_id, active`
  if (!sorts(db, byState)) return { sql: byState, byState: true }
  const compacted = messages.has('compacted')
    ? " || '.' || total(compacted) || '.' || total(compacted * id)"
    : ''
  const states = `total(active)${compacted}`
  const sql = `SELECT session_id, ${states}, count(*), total(id) + total(active * id), ${newest} ${from} ORDER BY session_id`
  return { sql, byState: false }
}

/** What was taken back does not count; what compaction put away does. */
function messagesOf(db: DatabaseSync, columns: ReadonlySet<string>): string {
  const long = (name: string) =>
    columns.has(name) ? `iif(octet_length(${name}) <= ${LONG_TEXT}, ${name}, octet_length(${name}))` : 'NULL'
  const own = (name: string) => (columns.has(name) ? name : 'NULL')
  const counted = columns.has('active')
    ? `AND (active = 1${columns.has('compacted') ? ' OR compacted = 1' : ''})`
    : ''
  const fields = `id, role, ${long('content')}, ${own('timestamp')}, iif(?4, ${own('tool_call_id')}, NULL), ${long('tool_calls')}, ${own('tool_name')}`
  const where = `FROM messages WHERE session_id = ?1 AND id > ?2 ${counted} ORDER BY id LIMIT ?3`
  const direct = `SELECT ${fields} ${where}`
  if (!sorts(db, direct)) return direct
  return `SELECT ${fields} FROM messages WHERE id IN (SELECT id ${where}) ORDER BY id`
}

function repeatsOf(
  db: DatabaseSync,
  columns: ReadonlySet<string>,
  prepare: (sql: string) => StatementSync,
): StatementSync | undefined {
  if (!columns.has('timestamp')) return undefined
  const sql = 'SELECT 1 FROM messages WHERE session_id = ? GROUP BY timestamp HAVING count(*) > 1 LIMIT 1'
  return sorts(db, sql) ? undefined : prepare(sql)
}

function previewOf(columns: ReadonlySet<string>): string {
  const shown = [
    columns.has('display_kind') ? "AND display_kind IS NOT 'hidden'" : '',
    columns.has('_compressed_summary') ? 'AND _compressed_summary IS NOT 1' : '',
  ].join(' ')
  const order = columns.has('timestamp') ? 'timestamp, id' : 'id'
  return columns.has('content')
    ? `SELECT substr(content, 1, ${PREVIEW}) FROM messages
       WHERE session_id = ? AND role = 'user' AND content IS NOT NULL ${shown} ORDER BY ${order} LIMIT 1`
    : "SELECT '' WHERE ? IS NULL"
}
