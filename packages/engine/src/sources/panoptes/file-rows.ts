import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { toDatabaseFailure } from '../database/failures.ts'
import { prepared, tableColumns } from '../database/query.ts'
import { SharedDatabase } from '../database/shared-database.ts'
import { watchDatabases } from '../database/watch.ts'
import { conversationsIn } from './list.ts'
import type { ConversationRow, ConversationRows, MessageRow } from './rows.ts'

/** The limits of characters and rows held in memory. */
const MOST_HELD = 4_194_304
const MOST_ROWS = 1_000

type Numbered = readonly [number: bigint, doc: SQLOutputValue]

/** Reads conversations from a store file that this process may be writing to. */
export function rowsInFile(file: string): ConversationRows {
  const open = () => new SharedDatabase(file, prepareStatements, { isOurs: true })
  const database = open()
  return {
    place: file,
    list: (signal) => listConversations(database, signal),
    head: (id) =>
      database.slice((statements) => {
        const [doc] = (statements?.session.get(id) ?? []) as unknown as readonly [SQLOutputValue?]
        if (doc === undefined) return undefined
        const replaced = (statements?.replaced.all(id) ?? []) as unknown as readonly [bigint, bigint][]
        return { doc, replaced: replaced.map(([number, at]) => ({ number: Number(number), at: Number(at) })) }
      }),
    messages: (id, after) => database.slice((statements, over) => messagesAfter(statements, over, id, after)),
    replaced: (number) =>
      database.slice((statements) => {
        const row = statements?.replacedMessage.get(BigInt(number)) as unknown as Numbered | undefined
        return row && messageRow(row)
      }),
    find: (id, ids) =>
      database.slice((statements) =>
        ids.flatMap((each) => {
          const row = statements?.message.get(each, id) as unknown as
            | readonly [SQLOutputValue, bigint]
            | undefined
          return row ? [{ doc: row[0], isReplaced: row[1] === 1n }] : []
        }),
      ),
    watch: (changed) => {
      const watched = open()
      return watchConversations(file, () => listConversations(watched), changed)
    },
    toFailure: (error) => toDatabaseFailure(error, file, 'Panoptes'),
  }
}

const messageRow = ([number, doc]: Numbered): MessageRow => ({ number: Number(number), doc })

async function* listConversations(
  database: SharedDatabase<Statements>,
  signal?: AbortSignal,
): AsyncGenerator<readonly ConversationRow[]> {
  if (!existsSync(database.path)) return
  for (let after = '', more = true; more && !signal?.aborted; ) {
    const from = after
    const rows = await database.slice((statements, over) => {
      const rows: ConversationRow[] = []
      more = false
      for (const row of statements?.sessions.iterate(from) ?? []) {
        const [id, at, doc, newest] = row as unknown as readonly [string, bigint, string, bigint | null]
        rows.push({ id, at: Number(at), doc, newest: newest === null ? null : Number(newest) })
        more = over()
        if (more) break
      }
      return rows
    })
    after = rows.at(-1)?.id ?? after
    yield rows
  }
}

function messagesAfter(
  statements: Statements | undefined,
  over: () => boolean,
  id: string,
  after: number,
): { readonly rows: readonly MessageRow[]; readonly more: boolean } {
  const rows: MessageRow[] = []
  let held = 0
  for (const each of statements?.messages.iterate(id, BigInt(after)) ?? []) {
    const row = messageRow(each as unknown as Numbered)
    rows.push(row)
    held += typeof row.doc === 'string' ? row.doc.length : 0
    if (rows.length === MOST_ROWS || held > MOST_HELD || over()) return { rows, more: true }
  }
  return { rows, more: false }
}

type List = () => AsyncIterable<readonly ConversationRow[]>

/** The file changes with every event of any agent, so only changes of conversations are reported. */
function watchConversations(file: string, list: List, changed: () => void): () => void {
  let ended = false
  let previous: string | null = null
  let looking = Promise.resolve()
  const look = async (isFirst: boolean) => {
    const seen = await readState(file, list)
    if (ended) return
    if (!isFirst && (seen === null || seen !== previous)) changed()
    previous = seen
  }
  const next = (isFirst: boolean) => {
    looking = looking.then(() => (ended ? undefined : look(isFirst)))
  }
  next(true)
  const name = basename(file)
  const isWanted = (path: string) => path === name || path === `${name}-wal`
  const end = watchDatabases(
    { folder: dirname(file), depth: 0, isWanted },
    () => Promise.resolve([file]),
    () => next(false),
  )
  return () => {
    ended = true
    end()
  }
}

/** Returns null when the state cannot be read at present. */
const readState = async (file: string, list: List): Promise<string | null> => {
  try {
    const listed = await conversationsIn(file, list())
    return hash('sha1', listed.map(({ id, fingerprint }) => `${id} ${fingerprint}`).join('\n'))
  } catch {
    return null
  }
}

/** A longer text is skipped, because it would have to be in memory as a whole. */
const MOST_TEXT = 33_554_432

interface Statements {
  /**
   * The conversations after an id, ordered by id: the id, the time of change, the document, and the newest
   * message.
   */
  readonly sessions: StatementSync
  readonly session: StatementSync
  /** The messages of a conversation after a number. */
  readonly messages: StatementSync
  /** The positions of replaced messages in a conversation. */
  readonly replaced: StatementSync
  readonly replacedMessage: StatementSync
  readonly message: StatementSync
}

/** Returns undefined when the file is of a version before conversations. */
function prepareStatements(db: DatabaseSync): Statements | undefined {
  const tables = ['conversations', 'chat_messages', 'chat_replaced']
  if (tables.some((table) => tableColumns(db, table).size === 0)) return undefined
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

/** A text that is too long is replaced by its length. */
const DOC = `iif(octet_length(doc) <= ${MOST_TEXT}, doc, octet_length(doc))`
