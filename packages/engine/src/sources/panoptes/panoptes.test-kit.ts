import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { ConversationHead, StoredChatMessage } from '@panoptes/schema'
import { migrations } from '../../store/sqlite/migrations.ts'
import { inserting } from '../conformance/insert-rows.ts'

export interface ConversationStore {
  readonly db: DatabaseSync
  readonly conversation: (id: string, head?: Partial<ConversationHead>) => void
  /** Adds a message and returns its id. */
  readonly message: (conversation: string, fields: Partial<StoredChatMessage>) => string
}

const AT = Date.UTC(2026, 10, 1)

export const headOf = (id: string, head: Partial<ConversationHead> = {}): ConversationHead => ({
  id,
  title: '',
  runtime: null,
  model: null,
  created_at: AT,
  updated_at: AT,
  messages_count: 0,
  run_id: null,
  forked_from: null,
  ...head,
})

/** Creates a store with its tables and conversations. */
export function makeStore(file: string): ConversationStore {
  mkdirSync(dirname(file), { recursive: true })
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; BEGIN; ${migrations.join('\n')} COMMIT`)
  const insert = inserting(db)
  let count = 0
  return {
    db,
    conversation: (id, head) => {
      const doc = headOf(id, head)
      const { updated_at, run_id } = doc
      insert('conversations', {
        id,
        updated_at,
        run_id,
        state_revision: 0,
        doc: JSON.stringify(doc),
        state: '{"v":1,"active":null,"runtimes":{}}',
      })
    },
    message: (conversation, fields) => {
      count += 1
      const doc: StoredChatMessage = {
        id: `msg-${conversation}-${count}`,
        role: 'user',
        content: '',
        status: 'complete',
        runtime: null,
        model: null,
        attachments: [],
        files: [],
        ts: AT + count,
        ended_at: null,
        run_id: null,
        usage: null,
        cost_micro_usd: null,
        error: null,
        ...fields,
      }
      insert('chat_messages', { id: doc.id, conversation, ts: doc.ts, doc: JSON.stringify(doc) })
      return doc.id
    },
  }
}
