import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import { NO_END, type PlaceOf } from '../conversations/epochs.ts'
import { BoundedMessages, contextIn, Newest, windowIn, windowSpan } from '../conversations/window.ts'
import type {
  ConversationMessage,
  Conversations,
  ConversationWindow,
  SentMessage,
} from '../conversations-port.ts'

type Args<M extends keyof Conversations> = Parameters<Conversations[M]>
type Row = Readonly<Record<string, SQLInputValue>>

export interface WindowReads {
  chatWindow(...args: Args<'window'>): ConversationWindow | null
  saidMessages(...args: Args<'said'>): readonly ConversationMessage[]
  sentMessage(...args: Args<'sent'>): SentMessage | null
}

/**
 * Reads the part of a conversation that a run continues from. The cost does not depend on the conversation's
 * length.
 */
export const windowReads = (db: () => DatabaseSync): Handlers<WindowReads> => ({
  chatWindow: (_job, id, { chars, before }) => {
    db().exec('BEGIN')
    try {
      const row = db().prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
      if (row === undefined) return null
      const place = placeFinder(db(), id)
      const end = (before === undefined ? null : place(before)) ?? NO_END
      const span = windowSpan(row, place, end)
      const newest = readNewest(db(), id, { ...span, end, chars })
      return windowIn(row, span, newest, {
        count: countBefore(db(), id, end),
        earlier: countBefore(db(), id, newest.first),
        preceding: lastBefore(db(), id, newest.first),
        summarised: countBefore(db(), id, span.from + 1),
      })
    } finally {
      db().exec('COMMIT')
    }
  },
  saidMessages: (_job, id, { after, to, chars }) => {
    const place = placeFinder(db(), id)
    const from = after === null ? 0 : place(after)
    const end = place(to)
    if (from === null || end === null) return []
    const rows = db()
      .prepare(
        'SELECT doc FROM chat_messages WHERE conversation = ? AND number > ? AND number <= ? ORDER BY number',
      )
      .iterate(id, from, end) as Iterable<Row>
    const collected = new BoundedMessages(chars)
    for (const row of rows) if (!collected.add(row)) break
    return collected.messages
  },
  sentMessage: (_job, conversation, message) => {
    const row = db()
      .prepare('SELECT sent, preamble FROM chat_messages WHERE id = ? AND conversation = ?')
      .get(message, conversation)
    return row?.sent == null ? null : { context: contextIn(row), text: String(row.preamble ?? '') }
  },
})

export const placeFinder =
  (db: DatabaseSync, conversation: string): PlaceOf =>
  (message) => {
    const row = db
      .prepare('SELECT number FROM chat_messages WHERE id = ? AND conversation = ?')
      .get(message, conversation)
    return row === undefined ? null : Number(row.number)
  }

interface Span {
  readonly from: number
  readonly end: number
  readonly chars: number
}

function readNewest(db: DatabaseSync, id: string, { from, end, chars }: Span): Newest {
  const rows = db
    .prepare(
      'SELECT number, doc, preamble FROM chat_messages WHERE conversation = ? AND number > ? AND number < ? ORDER BY number DESC',
    )
    .iterate(id, from, end) as Iterable<Row>
  const newest = new Newest(from, chars)
  for (const row of rows) if (!newest.add(row, String(row.preamble ?? ''))) break
  return newest
}

const lastBefore = (db: DatabaseSync, conversation: string, end: number): string | null => {
  const row = db
    .prepare(
      'SELECT id FROM chat_messages WHERE conversation = ? AND number < ? ORDER BY number DESC LIMIT 1',
    )
    .get(conversation, end)
  return row === undefined ? null : String(row.id)
}

const countBefore = (db: DatabaseSync, conversation: string, end: number): number =>
  Number(
    db
      .prepare('SELECT count(*) AS count FROM chat_messages WHERE conversation = ? AND number < ?')
      .get(conversation, end)?.count,
  )
