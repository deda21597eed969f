import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { ConversationHead, FileInput, RememberedFact } from '@panoptes/schema'
import { isVisibleTo } from '@panoptes/schema/reading'
import { eventsIn, parseHead, runIn, toConversation } from '../conversations/row-parsing.ts'
import { SEARCH_MS, Search } from '../conversations/search.ts'
import type { ListedConversation, ListedConversations, StoredConversation } from '../conversations-port.ts'
import type { Args, Row } from './conversations.ts'

export interface ConversationReads {
  conversation(id: string): StoredConversation | null
  conversationHead(id: string): ConversationHead | null
  conversations(...args: Args<'list'>): ListedConversations
  runEvents(run: string): { readonly conversation: string; readonly events: string } | null
  unendedRuns(): readonly { readonly conversation: string; readonly run_id: string }[]
  chatFiles(message: string): readonly FileInput[]
  facts(...args: Args<'facts'>): readonly RememberedFact[]
}

const COUNT = '(SELECT count(*) FROM chat_messages m WHERE m.conversation = c.id) AS count'

export const conversationReads = (db: () => DatabaseSync): Handlers<ConversationReads> => ({
  conversation: (_job, id) =>
    runInSnapshot(db(), () => {
      const row = db().prepare('SELECT * FROM conversations WHERE id = ?').get(id) as Row | undefined
      if (row === undefined) return null
      const messages = db()
        .prepare('SELECT doc FROM chat_messages WHERE conversation = ? ORDER BY number')
        .all(id) as Row[]
      return toConversation(row, messages)
    }),
  conversationHead: (_job, id) => {
    const row = db().prepare('SELECT doc FROM conversations WHERE id = ?').get(id) as Row | undefined
    return row === undefined ? null : parseHead(row)
  },
  conversations: (_job, { text, limit, before, beforeId, visibleTo, searchMs = SEARCH_MS }) => {
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
      const head = { ...parseHead(row), messages_count: Number(row.count) }
      if (visibleTo !== undefined && !isVisibleTo(head, visibleTo)) continue
      const where = text === undefined ? null : find(head)
      isCut ||= where === 'no time'
      if (where === undefined || where === 'no time') continue
      total += 1
      if (found.length < limit) found.push({ ...head, found: where })
    }
    return { total, rows: found, ...(isCut && { is_cut: true }) }
  },
  runEvents: (_job, run) => {
    const parts = db()
      .prepare('SELECT conversation, events FROM chat_runs WHERE id = ? ORDER BY number')
      .all(run)
    return eventsIn(parts)
  },
  unendedRuns: () =>
    db().prepare('SELECT id, run_id FROM conversations WHERE run_id IS NOT NULL').all().map(runIn),
  chatFiles: (_job, message) => {
    const row = db().prepare('SELECT files FROM chat_messages WHERE id = ?').get(message)
    return row?.files == null ? [] : (JSON.parse(String(row.files)) as FileInput[])
  },
  facts: (_job, owner = null) =>
    db()
      .prepare('SELECT id, ts, text FROM facts WHERE owner IS ? ORDER BY number')
      .all(owner)
      .map(({ id, ts, text }) => ({ id: String(id), ts: Number(ts), text: String(text) })),
})

/** Runs reads within one snapshot. */
function runInSnapshot<T>(db: DatabaseSync, read: () => T): T {
  db.exec('BEGIN')
  try {
    return read()
  } finally {
    db.exec('COMMIT')
  }
}

/** The finder returns undefined when the text occurs nowhere, and null when it is in the title. */
function finder(db: DatabaseSync, text: string, hasTime: () => boolean) {
  const search = new Search(text)
  const messages = db.prepare('SELECT doc FROM chat_messages WHERE conversation = ? ORDER BY number DESC')
  return ({ id, title }: ConversationHead): ListedConversation['found'] | undefined | 'no time' => {
    if (search.isInTitle(title)) return null
    for (const row of messages.iterate(id) as Iterable<Row>) {
      if (!hasTime()) return 'no time'
      const found = search.findIn(row)
      if (found !== undefined) return found
    }
    return undefined
  }
}
