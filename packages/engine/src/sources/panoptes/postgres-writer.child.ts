import { Client } from 'pg'
import { writeOn } from '../conformance/write-continuously.ts'

/** Commits numbered messages to a conversation. */
const [, , url = '', schema = '', conversation = ''] = process.argv
const client = new Client({ connectionString: url, options: `-c search_path=${schema}` })
await client.connect()
await writeOn(async (n) => {
  const doc = { id: `w${n}`, role: 'user', content: String(n), ts: Date.now() }
  await client.query('INSERT INTO chat_messages (id, conversation, doc) VALUES ($1, $2, $3)', [
    doc.id,
    conversation,
    JSON.stringify(doc),
  ])
})
process.exit()
