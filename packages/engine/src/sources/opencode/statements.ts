import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { prepared, tableColumns } from '../database/query.ts'

/** The columns read from a session's row, in this order. Missing columns are null. */
export const SESSION_COLUMNS = [
  'id',
  'parent_id',
  'title',
  'directory',
  'agent',
  'revert',
  'time_created',
  'time_updated',
  'time_archived',
] as const
/** The columns read from its project, after those. */
export const PROJECT_COLUMNS = ['worktree', 'name'] as const

/** A longer text is skipped, because it would have to be in memory as a whole. */
const MOST_TEXT = 33_554_432
const MOST_FIELD = 65_536

export interface Statements {
  /**
   * The sessions after an id, ordered by id: the id, its parent, its newest time, and a text that reveals any
   * change.
   */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** The ids of a session's children. */
  readonly children: StatementSync
  /** The messages of a session after a given one, in order, with one row per part. */
  readonly parts: StatementSync
}

const NEEDED = {
  session: ['id', 'parent_id'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'data'],
} as const

/** Prepares the statements that a database supports. Undefined when its tables are missing or unknown. */
export function prepareStatements(db: DatabaseSync): Statements | undefined {
  const columns = Object.fromEntries(
    ['session', 'message', 'part', 'project'].map((table) => [table, tableColumns(db, table)]),
  )
  const has = (table: string, name: string): boolean => columns[table]?.has(name) ?? false
  if (Object.entries(NEEDED).some(([table, names]) => names.some((name) => !has(table, name))))
    return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  const field = (table: string, letter: string, name: string): string =>
    has(table, name) ? `substr(${letter}.${name}, 1, ${MOST_FIELD})` : 'NULL'
  const fields = [
    ...SESSION_COLUMNS.map((name) => field('session', 's', name)),
    ...PROJECT_COLUMNS.map((name) => field('project', 'j', name)),
  ]
  const joined = has('session', 'project_id') && has('project', 'id')
  const from = `FROM session AS s ${joined ? 'LEFT JOIN project AS j ON j.id = s.project_id' : ''}`
  const time = has('session', 'time_updated') ? 's.time_updated' : '0'
  return {
    sessions: prepare(
      `SELECT s.id, s.parent_id, CAST(${time} AS REAL),
        concat_ws(char(1), ${[...fields.map((each) => `ifnull(${each}, '')`), ...changeColumns(has)].join(', ')}) ${from}
       WHERE s.id > ? AND typeof(s.id) = 'text' ORDER BY s.id`,
    ),
    session: prepare(`SELECT ${fields.join(', ')} ${from} WHERE s.id = ?`),
    children: prepare('SELECT id FROM session WHERE parent_id = ? ORDER BY id'),
    parts: prepare(PARTS),
  }
}

/**
 * Columns that reveal changes of a session. A message is rewritten when it is complete, and adding or
 * removing a part changes their number. The newest message is being written, so each of its parts is checked.
 */
function changeColumns(has: (table: string, name: string) => boolean): readonly string[] {
  const sum = (table: string) => (has(table, 'time_updated') ? "|| '.' || total(time_updated)" : '')
  const newest = 'SELECT id FROM message WHERE session_id = s.id ORDER BY time_created DESC, id DESC LIMIT 1'
  const own = has('part', 'session_id')
    ? 'session_id = s.id'
    : 'message_id IN (SELECT id FROM message WHERE session_id = s.id)'
  return [
    `(SELECT count(*) ${sum('message')} FROM message WHERE session_id = s.id)`,
    `(SELECT count(*) FROM part WHERE ${own})`,
    `(SELECT count(*) ${sum('part')} || '.' || total(octet_length(data)) FROM part WHERE message_id = (${newest}))`,
  ]
}

/** A text that is too long is replaced by its length. */
const bounded = (name: string): string =>
  `iif(octet_length(${name}) <= ${MOST_TEXT}, ${name}, octet_length(${name}))`

/** The column order of `PartRow` in rows.ts. */
const PARTS = `SELECT m.id, m.time_created, ${bounded('m.data')}, p.id, ${bounded('p.data')}
  FROM message AS m LEFT JOIN part AS p ON p.message_id = m.id
  WHERE m.session_id = ? AND (m.time_created, m.id) > (?, ?) ORDER BY m.time_created, m.id, p.id`
