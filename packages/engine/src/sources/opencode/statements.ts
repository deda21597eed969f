import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnsOf, prepared } from '../database/ask.ts'

/** What a session's row is read for, in this order. Columns that a database has not are null. */
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
/** What is read of its project, after that. */
export const PROJECT_COLUMNS = ['worktree', 'name'] as const

/** A longer text is passed over: it would have to stand in memory as a whole. */
const MOST_TEXT = 33_554_432
const MOST_FIELD = 65_536

export interface Statements {
  /** The sessions after an id, by id: the id, its parent, its newest time, and what tells of any change as one text. */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** The ids of the sessions that a session made. */
  readonly children: StatementSync
  /** The messages of a session after one, in their order, a row for each part. */
  readonly parts: StatementSync
}

const NEEDED = {
  session: ['id', 'parent_id'],
  message: ['id', 'session_id', 'time_created', 'data'],
  part: ['id', 'message_id', 'data'],
} as const

/** The statements that a database can answer; nothing where its tables are not made yet, or are others. */
export function statementsOf(db: DatabaseSync): Statements | undefined {
  const columns = Object.fromEntries(
    ['session', 'message', 'part', 'project'].map((table) => [table, columnsOf(db, table)]),
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
        concat_ws(char(1), ${[...fields.map((each) => `ifnull(${each}, '')`), ...changesOf(has)].join(', ')}) ${from}
       WHERE s.id > ? AND typeof(s.id) = 'text' ORDER BY s.id`,
    ),
    session: prepare(`SELECT ${fields.join(', ')} ${from} WHERE s.id = ?`),
    children: prepare('SELECT id FROM session WHERE parent_id = ? ORDER BY id'),
    parts: prepare(PARTS),
  }
}

/**
 * What tells that something in a session changed. A message is written anew when it is complete, and a part that comes or goes
 * changes their number; of the newest message, which is being written, each part is looked at.
 */
function changesOf(has: (table: string, name: string) => boolean): readonly string[] {
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

/** The length of a text that is too long stands in its place. */
const bounded = (name: string): string =>
  `iif(octet_length(${name}) <= ${MOST_TEXT}, ${name}, octet_length(${name}))`

/** The order of `PartRow` in read.ts. */
const PARTS = `SELECT m.id, m.time_created, ${bounded('m.data')}, p.id, ${bounded('p.data')}
  FROM message AS m LEFT JOIN part AS p ON p.message_id = m.id
  WHERE m.session_id = ? AND (m.time_created, m.id) > (?, ?) ORDER BY m.time_created, m.id, p.id`
