import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnsOf, prepared } from '../database/ask.ts'

/** A longer text is passed over: it would have to stand in memory as a whole. */
const MOST_TEXT = 33_554_432

export interface Statements {
  /** The conversations after an id, by id: the id, when it changed, what is known of it, and its newest message. */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** The messages of a conversation after a number. */
  readonly messages: StatementSync
  /** Where in a conversation messages stood that others took the place of. */
  readonly replaced: StatementSync
  readonly replacedMessage: StatementSync
  readonly message: StatementSync
}

/** Nothing where the file is of a version before conversations. */
export function statementsOf(db: DatabaseSync): Statements | undefined {
  const tables = ['conversations', 'chat_messages', 'chat_replaced']
  if (tables.some((table) => columnsOf(db, table).size === 0)) return undefined
  const prepare = (sql: string): StatementSync => prepared(db, sql)
  return {
    sessions: prepare(
      `SELECT id, updated_at, doc, (SELECT max(number) FROM chat_messages WHERE conversation = c.id)
       FROM conversations AS c WHERE id > ? ORDER BY id`,
    ),
    session: prepare('SELECT doc FROM conversations WHERE id = ?'),
    messages: prepare(
      `SELECT number, ${DOC} FROM chat_messages WHERE conversation = ? AND number > ? ORDER BY number`,
    ),
    replaced: prepare('SELECT number, at FROM chat_replaced WHERE conversation = ? ORDER BY at, number'),
    replacedMessage: prepare(`SELECT number, ${DOC} FROM chat_replaced WHERE number = ?`),
    message: prepare(
      `SELECT ${DOC}, 0 FROM chat_messages WHERE id = ?1 AND conversation = ?2
       UNION ALL SELECT ${DOC}, 1 FROM chat_replaced WHERE id = ?1 AND conversation = ?2`,
    ),
  }
}

/** The length of a text that is too long stands in its place. */
const DOC = `iif(octet_length(doc) <= ${MOST_TEXT}, doc, octet_length(doc))`
