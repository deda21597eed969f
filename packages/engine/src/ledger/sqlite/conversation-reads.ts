import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/threads'
import type { ConversationHead, FileInput, RememberedFact } from '@panoptes/schema'
import type {
  ChatEpoch,
  KeptConversation,
  ListedConversation,
  ListedConversations,
} from '../conversations-port.ts'
import { type Asked, headIn, messageIn, type Row, statesIn } from './conversations.ts'

export interface ConversationReads {
  conversation(id: string): KeptConversation | null
  conversations(...asked: Asked<'list'>): ListedConversations
  runEvents(run: string): { readonly conversation: string; readonly events: string } | null
  unendedRuns(): readonly { readonly conversation: string; readonly run_id: string }[]
  chatFiles(message: string): readonly FileInput[]
  facts(): readonly RememberedFact[]
}

const COUNT = '(SELECT count(*) FROM chat_messages m WHERE m.conversation = c.id) AS count'

export const conversationReads = (db: () => DatabaseSync): Handlers<ConversationReads> => ({
  conversation: (_job, id) =>
    atOnce(db(), () => {
      const row = db().prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
      if (row === undefined) return null
      const messages = db()
        .prepare('SELECT doc FROM chat_messages WHERE conversation = ? ORDER BY number')
        .all(id) as Row[]
      return {
        ...headIn(row),
        messages_count: messages.length,
        agent_state: statesIn(row),
        state_revision: Number(row.state_revision),
        epoch: row.epoch === null ? null : (JSON.parse(String(row.epoch)) as ChatEpoch),
        messages: messages.map(messageIn),
      }
    }),
  conversations: (_job, { text, limit, before, beforeId, searchMs = SEARCH_MS }) => {
    const isBehind = beforeId === undefined ? '' : ' OR (c.updated_at = ?1 AND c.id > ?2)'
    const span = before === undefined ? '' : `WHERE c.updated_at < ?1${isBehind}`
    const values = before === undefined ? [] : beforeId === undefined ? [before] : [before, beforeId]
    const until = performance.now() + searchMs
    const find = finder(db(), text ?? '', () => performance.now() < until)
    let isCut = false
    const rows = db()
      .prepare(`SELECT c.doc, ${COUNT} FROM conversations c ${span} ORDER BY c.updated_at DESC, c.id`)
      .iterate(...values) as Iterable<Row>
    const found: ListedConversation[] = []
    let total = 0
    for (const row of rows) {
      const head = { ...headIn(row), messages_count: Number(row.count) }
      const where = text === undefined ? null : find(head)
      isCut ||= where === 'no time'
      if (where === undefined || where === 'no time') continue
      total += 1
      if (found.length < limit) found.push({ ...head, found: where })
    }
    return { total, rows: found, ...(isCut && { is_cut: true }) }
  },
  runEvents: (_job, run) => {
    const rows = db()
      .prepare('SELECT conversation, events FROM chat_runs WHERE id = ? ORDER BY number')
      .all(run)
    const [first] = rows
    if (first === undefined) return null
    return {
      conversation: String(first.conversation),
      events: rows.map((row) => String(row.events)).join(''),
    }
  },
  unendedRuns: () =>
    db()
      .prepare('SELECT id, run_id FROM conversations WHERE run_id IS NOT NULL')
      .all()
      .map(({ id, run_id }) => ({ conversation: String(id), run_id: String(run_id) })),
  chatFiles: (_job, message) => {
    const row = db().prepare('SELECT files FROM chat_messages WHERE id = ?').get(message)
    return row?.files == null ? [] : (JSON.parse(String(row.files)) as FileInput[])
  },
  facts: () =>
    db()
      .prepare('SELECT id, ts, text FROM facts ORDER BY number')
      .all()
      .map(({ id, ts, text }) => ({ id: String(id), ts: Number(ts), text: String(text) })),
})

/** As of one moment. */
function atOnce<T>(db: DatabaseSync, read: () => T): T {
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    db.exec('COMMIT')
  }
}

const AROUND = 60
/** A reader is held up no longer than this. */
const SEARCH_MS = 1_000

/** Undefined where it is nowhere; null where it is in the title. */
function finder(db: DatabaseSync, text: string, hasTime: () => boolean) {
  const wanted = text.toLowerCase()
  // As it stands in a document, so that only those are read whole that may have it.
  const written = JSON.stringify(wanted).slice(1, -1).toLowerCase()
  const messages = db.prepare('SELECT doc FROM chat_messages WHERE conversation = ? ORDER BY number DESC')
  return ({ id, title }: ConversationHead): ListedConversation['found'] | undefined | 'no time' => {
    if (title.toLowerCase().includes(wanted)) return null
    for (const row of messages.iterate(id) as Iterable<Row>) {
      if (!hasTime()) return 'no time'
      if (!String(row.doc).toLowerCase().includes(written)) continue
      const { id: message_id, content } = messageIn(row)
      const at = content.toLowerCase().indexOf(wanted)
      if (at >= 0)
        return { message_id, snippet: content.slice(Math.max(0, at - AROUND), at + wanted.length + AROUND) }
    }
    return undefined
  }
}
