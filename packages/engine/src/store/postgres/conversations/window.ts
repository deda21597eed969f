import { listReferencedMessages, NO_END } from '../../conversations/epochs.ts'
import { parseEpoch, parseStates, type StoredRow } from '../../conversations/row-parsing.ts'
import { BoundedMessages, contextIn, Newest, windowIn, windowSpan } from '../../conversations/window.ts'
import type {
  ConversationMessage,
  ConversationWindow,
  MessagesQuery,
  SentMessage,
  WindowQuery,
} from '../../conversations-port.ts'
import type { Connection, Database } from '../database.ts'
import { readPlaces } from './rows.ts'

/**
 * Reads the part of a conversation that a run continues from. The cost does not depend on the conversation's
 * length.
 */
export async function readWindow(
  connection: Connection,
  id: string,
  { chars, before }: WindowQuery,
): Promise<ConversationWindow | null> {
  const row = await connection.row('SELECT * FROM conversations WHERE id = $1', [id])
  if (row === undefined) return null
  const named = listReferencedMessages(parseEpoch(row), parseStates(row))
  const place = await readPlaces(connection, id, before === undefined ? named : [...named, before])
  const end = (before === undefined ? null : place(before)) ?? NO_END
  const span = windowSpan(row, place, end)
  const newest = new Newest(span.from, chars)
  await readInSlices(
    (limit, last) =>
      connection.rows(
        `SELECT number, doc, preamble FROM chat_messages WHERE conversation = $1 AND number > $2 AND number < $3
         ORDER BY number DESC LIMIT $4`,
        [id, span.from, last ?? end, limit],
      ),
    (each) => newest.add(each, preambleIn(each)),
  )
  const around = await connection.row(
    `SELECT count(*) FILTER (WHERE number < $2) AS count, count(*) FILTER (WHERE number < $3) AS earlier,
       count(*) FILTER (WHERE number <= $4) AS summarised,
       (SELECT id FROM chat_messages WHERE conversation = $1 AND number < $3 ORDER BY number DESC LIMIT 1) AS preceding
     FROM chat_messages WHERE conversation = $1`,
    [id, end, newest.first, span.from],
  )
  return windowIn(row, span, newest, {
    count: Number(around?.count),
    earlier: Number(around?.earlier),
    preceding: around?.preceding == null ? null : String(around.preceding),
    summarised: Number(around?.summarised),
  })
}

export async function readMessages(
  connection: Connection,
  id: string,
  { after, to, chars }: MessagesQuery,
): Promise<readonly ConversationMessage[]> {
  const place = await readPlaces(connection, id, after === null ? [to] : [after, to])
  const [from, end] = [after === null ? 0 : place(after), place(to)]
  if (from === null || end === null) return []
  const collected = new BoundedMessages(chars)
  await readInSlices(
    (limit, last) =>
      connection.rows(
        `SELECT number, doc FROM chat_messages WHERE conversation = $1 AND number > $2 AND number <= $3
         ORDER BY number LIMIT $4`,
        [id, last ?? from, end, limit],
      ),
    (each) => collected.add(each),
  )
  return collected.messages
}

const FIRST = 32
const MOST = 1_000

/**
 * Reads on in growing slices, each after the last number of the one before, until the callback takes no more.
 */
async function readInSlices(
  read: (limit: number, last: number | undefined) => Promise<readonly StoredRow[]>,
  take: (row: StoredRow) => boolean,
): Promise<void> {
  let last: number | undefined
  for (let limit = FIRST; ; limit = Math.min(MOST, limit * 4)) {
    const rows = await read(limit, last)
    for (const row of rows) if (!take(row)) return
    if (rows.length < limit) return
    last = Number(rows.at(-1)?.number)
  }
}

export async function readSentMessage(
  { row }: Database,
  conversation: string,
  message: string,
): Promise<SentMessage | null> {
  const found = await row('SELECT sent, preamble FROM chat_messages WHERE id = $1 AND conversation = $2', [
    message,
    conversation,
  ])
  return found?.sent == null ? null : { context: contextIn(found), text: preambleIn(found) }
}

const preambleIn = ({ preamble }: StoredRow): string =>
  preamble === null ? '' : (JSON.parse(String(preamble)) as string)
