import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { prepared, tableColumns } from '../database/query.ts'
import { sorts } from './statements.ts'

/** Only the length of a longer text is read with the others; the text itself is read separately. */
const LONG_TEXT = 131_072
const MOST_TITLE = 4_096
/** More than a preview shows, because it is cut after its secrets are removed. */
const PREVIEW = 4_096

export interface HistoryStatements {
  /** The sessions after an id, ordered by id. */
  readonly sessions: StatementSync
  /** The number of sessions whose id is not text. */
  readonly unnamed: StatementSync
  /**
   * For the sessions after an id: the number of messages per state, the sum of their ids, and the newest
   * time.
   */
  readonly counts: StatementSync
  readonly countsFlow: boolean
  /** Counts the messages of a session in one state that compaction archived, with the sum of their ids. */
  readonly compacted: StatementSync | undefined
  /** The number of messages of a session up to an id. */
  readonly left: StatementSync
  /**
   * A page of the counted messages of a session after an id, ordered by id. It has only the length of long
   * texts, and call ids on request.
   */
  readonly messages: StatementSync
  /**
   * Whether messages of a session share a time, as copies do. Undefined when the check would be as slow as
   * reading them.
   */
  readonly repeats: StatementSync | undefined
  /** Both texts of a message. */
  readonly texts: StatementSync
  /** The beginning of the first prompt. */
  readonly preview: StatementSync
}

/** Prepares the statements that a database supports, by its columns. */
export function historyStatements(db: DatabaseSync): HistoryStatements | undefined {
  const sessions = tableColumns(db, 'sessions')
  const messages = tableColumns(db, 'messages')
  if (!sessions.has('id') || !['id', 'session_id', 'role'].every((name) => messages.has(name)))
    return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  const real = (columns: ReadonlySet<string>, name: string) =>
    columns.has(name) ? `CAST(${name} AS REAL)` : 'NULL'
  const text = (columns: ReadonlySet<string>, name: string) => (columns.has(name) ? name : 'NULL')
  const flag = (name: string) => (sessions.has(name) ? `${name} IS NOT 0 AND ${name} IS NOT NULL` : '0')
  const { sql: counts, byState } = countsQuery(db, messages)
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
    messages: prepare(messagesQuery(db, messages)),
    repeats: prepareRepeats(db, messages, prepare),
    texts: prepare(
      `SELECT ${text(messages, 'content')}, ${text(messages, 'tool_calls')} FROM messages WHERE id = ?`,
    ),
    preview: prepare(previewQuery(messages)),
  }
}

const COMPACTED = `SELECT count(*), total(id) FROM messages
  WHERE session_id = ? AND active IS ? AND compacted IS NOT 0 AND compacted IS NOT NULL`

function countsQuery(
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

/** Rewound messages do not count; those archived by compaction do. */
function messagesQuery(db: DatabaseSync, columns: ReadonlySet<string>): string {
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

function prepareRepeats(
  db: DatabaseSync,
  columns: ReadonlySet<string>,
  prepare: (sql: string) => StatementSync,
): StatementSync | undefined {
  if (!columns.has('timestamp')) return undefined
  const sql = 'SELECT 1 FROM messages WHERE session_id = ? GROUP BY timestamp HAVING count(*) > 1 LIMIT 1'
  return sorts(db, sql) ? undefined : prepare(sql)
}

function previewQuery(columns: ReadonlySet<string>): string {
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
