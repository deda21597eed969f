import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { prepared, tableColumns } from '../database/query.ts'
import { DELEGATION_COLUMNS } from './delegations.ts'

/** The columns read from a session's row, in this order. Missing columns are null. */
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
  // These are not read, but they reveal changes of the session.
  'message_count',
  'rewind_count',
] as const
export const PARENT_COLUMNS = ['source', 'session_key', 'ended_at', 'end_reason'] as const

/** The columns read for auxiliary calls, in this order: titles, compression, vision. */
export const AUXILIARY_COLUMNS = [
  'model',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'estimated_cost_usd',
  'actual_cost_usd',
  'api_call_count',
] as const
/** The conversation's own calls have no task. */
const IS_AUXILIARY = "task <> ''"
const MOST_AUXILIARY = 500

/** A longer text is skipped, because it would have to be in memory as a whole. */
const MOST_TEXT = 33_554_432
const MOST_FIELD = 65_536
export const ROWS_A_SLICE = 1_000

export interface Statements {
  /** The sessions after an id, ordered by id: the id, the newest time, and the row's columns as one text. */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** For the sessions after an id: the id, and a text that reveals the number of messages per state. */
  readonly counts: StatementSync
  /** True when rows stream; otherwise the first takes as long as all of them. */
  readonly countsFlow: boolean
  /** The messages of a session after an id, ordered by id. */
  readonly messages: StatementSync
  /** The same messages without texts: id, time, and a rank among equal rows, 2 for an active one. */
  readonly states: StatementSync
  /** Whether a session has inactive messages; undefined when all messages count as active. */
  readonly inactive: StatementSync | undefined
  /** The messages of all sessions after an id, ordered by id, each with its session as the last column. */
  readonly newer: StatementSync
  readonly newest: StatementSync
  /** One message by its id and session. */
  readonly message: StatementSync
  /** Delegations marked as running, where the database records their process. */
  readonly delegations: StatementSync | undefined
  /** The usage of a session's auxiliary calls, where the database separates them. */
  readonly auxiliary: StatementSync | undefined
}

/**
 * Prepares the statements that a database supports. Its columns decide, because its version number says
 * little about them.
 */
export function prepareStatements(db: DatabaseSync): Statements | undefined {
  const sessions = tableColumns(db, 'sessions')
  const messages = tableColumns(db, 'messages')
  if (!sessions.has('id') || !['id', 'session_id', 'role'].every((name) => messages.has(name)))
    return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  const fields = [
    ...SESSION_COLUMNS.map((name) => columnExpression('s', name, sessions)),
    ...PARENT_COLUMNS.map((name) => columnExpression('p', name, sessions)),
  ]
  const parent = sessions.has('parent_session_id') ? 's.parent_session_id' : 'NULL'
  const from = `FROM sessions AS s LEFT JOIN sessions AS p ON p.id = ${parent}`
  const usage = tableColumns(db, 'session_model_usage')
  const hasTasks = ['session_id', 'task', ...AUXILIARY_COLUMNS].every((name) => usage.has(name))
  // Null is left out of the text, so a session without such calls keeps its fingerprint.
  const spent = hasTasks
    ? `, (SELECT sum(u.api_call_count) || ' ' || sum(u.output_tokens) FROM session_model_usage AS u
         WHERE u.session_id = s.id AND u.${IS_AUXILIARY})`
    : ''
  const whole = fields.map((field) => `ifnull(${field}, '')`).join(', ') + spent
  const times = ['started_at', 'last_activity_at'].map(
    (name) => `ifnull(${columnExpression('s', name, sessions)}, 0)`,
  )
  return {
    sessions: prepare(
      `SELECT s.id, CAST(max(${times.join(', ')}) AS REAL), concat_ws(char(1), ${whole}) ${from}
       WHERE s.id > ? AND typeof(s.id) = 'text' ORDER BY s.id`,
    ),
    session: prepare(`SELECT ${fields.join(', ')} ${from} WHERE s.id = ?`),
    ...prepareCounts(db, messages.has('active'), prepare),
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
    delegations: prepareDelegations(db, prepare),
    auxiliary: hasTasks
      ? prepare(
          `SELECT ${AUXILIARY_COLUMNS.join(', ')} FROM session_model_usage WHERE session_id = ? AND ${IS_AUXILIARY} LIMIT ${MOST_AUXILIARY}`,
        )
      : undefined,
  }
}

const MOST_DELEGATIONS = 200

function prepareDelegations(
  db: DatabaseSync,
  prepare: (sql: string) => StatementSync,
): StatementSync | undefined {
  const columns = tableColumns(db, 'async_delegations')
  if (!['state', ...DELEGATION_COLUMNS].every((name) => columns.has(name))) return undefined
  return prepare(
    `SELECT ${DELEGATION_COLUMNS.join(', ')} FROM async_delegations WHERE state = 'running' LIMIT ${MOST_DELEGATIONS}`,
  )
}

/** An index that contains the states of messages makes this by far the fastest. */
function prepareCounts(
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

/** True when all rows have to be collected before the first is returned. */
export const sorts = (db: DatabaseSync, sql: string): boolean =>
  db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .some((row) => String(row.detail).includes('TEMP B-TREE'))

/** Fields that people and programs may fill at any length; only this much of them is read. */
const LONG_FIELDS = ['title', 'model_config', 'cwd', 'git_repo_root']

function columnExpression(table: string, name: string, columns: ReadonlySet<string>): string {
  if (!columns.has(name)) return 'NULL'
  const column = `${table}.${name}`
  return LONG_FIELDS.includes(name) ? `substr(${column}, 1, ${MOST_FIELD})` : column
}

/** Selects the ids first when no index has the rows in order, as in older databases. */
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

/** The column order of `Row` in row.ts. */
function messageFields(columns: ReadonlySet<string>): string {
  const has = (name: string, expression: string) => (columns.has(name) ? expression : 'NULL')
  // A text that is too long is replaced by its length.
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
