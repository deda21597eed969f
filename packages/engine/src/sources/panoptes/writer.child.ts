import { DatabaseSync } from 'node:sqlite'
import { writeOn } from '../conformance/write-continuously.ts'

/** Commits numbered messages to a conversation. It exits without closing, so that its log remains. */
const [, , path = '', conversation = ''] = process.argv
const db = new DatabaseSync(path, { timeout: 5_000 })
const message = db.prepare('INSERT INTO chat_messages (id, conversation, ts, doc) VALUES (?, ?, ?, ?)')
await writeOn((n) => {
  const doc = { id: `w${n}`, role: 'user', content: String(n), ts: Date.now() }
  message.run(doc.id, conversation, doc.ts, JSON.stringify(doc))
  if (n % 50 === 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
})
process.exit()
