import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnsOf, prepared } from '../database/ask.ts'

/** What a session's row is read for, in this order. Columns that a database has not are null. */
export const SESSION_COLUMNS = [
  'id',
  'source',
  'session_key',
  'model',
  'model_config',
  'parent_session_id',
  'started_at',
  'ended_at',
  'last_activity_at',
  'title',
  'cwd',
  'git_branch',
  'git_repo_root',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'estimated_cost_usd',
  'actual_cost_usd',
  'cost_status',
  // Not read, but they tell that something in the session changed.
  'message_count',
  'rewind_count',
] as const
export const PARENT_COLUMNS = ['source', 'session_key', 'ended_at', 'end_reason'] as const

/** A longer text is passed over: it would have to stand in memory as a whole. */
const MOST_TEXT = 33_554_432
const MOST_FIELD = 65_536
export const ROWS_A_SLICE = 1_000

export interface Statements {
  /** The sessions after an id, by id: the id, its newest time, and all that is read of its row as one text. */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** For the sessions after an id: the id, and what tells how many messages of which state it has. */
  readonly counts: StatementSync
  /** Whether they come one by one: otherwise the first of them takes as long as all. */
  readonly countsFlow: boolean
  /** The messages of a session after an id, by id. */
  readonly messages: StatementSync
  /** The same without their words: id, time, and what counts among equal ones, 2 for an active one. */
  readonly states: StatementSync
  /** Whether a session has messages that are not active; nothing where there are only such. */
  readonly inactive: StatementSync | undefined
  /** The messages of all sessions after an id, by id, each with its session at the end. */
  readonly newer: StatementSync
  readonly newest: StatementSync
  /** One message by its id and its session's. */
  readonly message: StatementSync
}

/** The statements that a database can answer, by the columns it has: the number of its version says little about them. */
export function statementsOf(db: DatabaseSync): Statements | undefined {
  const sessions = columnsOf(db, 'sessions')
  const messages = columnsOf(db, 'messages')
  if (!sessions.has('id') || !['id', 'session_id', 'role'].every((name) => messages.has(name)))
    return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  const fields = [
    ...SESSION_COLUMNS.map((name) => fieldOf('s', name, sessions)),
    ...PARENT_COLUMNS.map((name) => fieldOf('p', name, sessions)),
  ]
  const parent = sessions.has('parent_session_id') ? 's.parent_session_id' : 'NULL'
  const from = `FROM sessions AS s LEFT JOIN sessions AS p ON p.id = ${parent}`
  const whole = fields.map((field) => `ifnull(${field}, '')`).join(', ')
  const times = ['started_at', 'last_activity_at'].map((name) => `ifnull(${fieldOf('s', name, sessions)}, 0)`)
  return {
    sessions: prepare(
      `SELECT s.id, CAST(max(${times.join(', ')}) AS REAL), concat_ws(char(1), ${whole}) ${from}
       WHERE s.id > ? AND typeof(s.id) = 'text' ORDER BY s.id`,
    ),
    session: prepare(`SELECT ${fields.join(', ')} ${from} WHERE s.id = ?`),
    ...countsOf(db, messages.has('active'), prepare),
    messages: prepare(inOrder(db, messageFields(messages))),
    states: prepare(inOrder(db, stateFields(messages))),
    inactive: messages.has('active')
      ? prepare('SELECT 1 FROM messages WHERE session_id = ? AND active = 0 LIMIT 1')
      : undefined,
    newer: prepare(
      `SELECT ${messageFields(messages)}, session_id FROM messages WHERE id > ? ORDER BY id LIMIT ${ROWS_A_SLICE}`,
    ),
    newest: prepare('SELECT max(id) FROM messages'),
    message: prepare(`SELECT ${messageFields(messages)} FROM messages WHERE id = ? AND session_id = ?`),
  }
}

/** Where an index has the states of messages, that is by far the fastest. */
function countsOf(
  db: DatabaseSync,
  active: boolean,
  prepare: (sql: string) => StatementSync,
): Pick<Statements, 'counts' | 'countsFlow'> {
  const flows = (sql: string): boolean => !sorts(db, sql)
  const from = 'FROM messages WHERE session_id > ? GROUP BY session_id'
  const byState = `SELECT session_id, active, count(*), total(id) ${from}, active ORDER BY session_id, active`
  const states = active ? 'total(active), total(active * id)' : '1'
  const bySession = `SELECT session_id, ${states}, count(*), total(id) ${from} ORDER BY session_id`
  if (active && flows(byState)) return { counts: prepare(byState), countsFlow: true }
  return { counts: prepare(bySession), countsFlow: flows(bySession) }
}

/** Whether all rows have to be gathered before the first comes. */
export const sorts = (db: DatabaseSync, sql: string): boolean =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .some((row) => String(row.detail).includes('TEMP B-TREE'))

/** Of what people and programs may write at any length, at most so much is wanted. */
const LONG_FIELDS = ['title', 'model_config', 'cwd', 'git_repo_root']

function fieldOf(table: string, name: string, columns: ReadonlySet<string>): string {
  if (!columns.has(name)) return 'NULL'
  const column = `${table}.${name}`
  return LONG_FIELDS.includes(name) ? `substr(${column}, 1, ${MOST_FIELD})` : column
}

/** The ids first where no index has the rows themselves in their order, as in older databases. */
function inOrder(db: DatabaseSync, fields: string): string {
  const from = `FROM messages WHERE session_id = ? AND id > ? ORDER BY id LIMIT ${ROWS_A_SLICE}`
  const direct = `SELECT ${fields} ${from}`
  return sorts(db, direct)
    ? `SELECT ${fields} FROM messages WHERE id IN (SELECT id ${from}) ORDER BY id`
    : direct
}

const isIn =
  (columns: ReadonlySet<string>) =>
  (name: string, value: string): string =>
    columns.has(name) ? `${name} IS ${value}` : 'NULL'

function stateFields(columns: ReadonlySet<string>): string {
  const is = isIn(columns)
  const time = columns.has('timestamp') ? 'CAST(timestamp AS REAL)' : 'NULL'
  return `id, ${time}, CASE WHEN ${is('active', '0')} THEN iif(${is('compacted', '1')}, 1, 0) ELSE 2 END`
}

/** The order of `Row` in row.ts. */
function messageFields(columns: ReadonlySet<string>): string {
  const has = (name: string, expression: string) => (columns.has(name) ? expression : 'NULL')
  // The length of a text that is too long stands in its place.
  const text = (name: string) =>
    has(name, `iif(octet_length(${name}) <= ${MOST_TEXT}, ${name}, octet_length(${name}))`)
  const is = isIn(columns)
  const fields = [
    'id',
    'role',
    text('content'),
    has('tool_call_id', 'tool_call_id'),
    text('tool_calls'),
    has('tool_name', 'tool_name'),
    has('timestamp', 'CAST(timestamp AS REAL)'),
    `CASE WHEN ${is('active', '0')} THEN iif(${is('compacted', '1')}, 'compacted', 'rewound')
      WHEN ${is('_compressed_summary', '1')} THEN 'summary' ELSE 'active' END`,
    `coalesce(${is('observed', '1')}, 0) OR coalesce(${is('display_kind', "'hidden'")}, 0)`,
    text('reasoning_content'),
    text('reasoning'),
    text('reasoning_details'),
    text('codex_reasoning_items'),
    text('codex_message_items'),
  ]
  return fields.join(', ')
}
