import { DatabaseSync } from 'node:sqlite'
import { writeOn } from '../conformance/write-continuously.ts'

/**
 * Commits numbered prompts to a session, each with its part. It exits without closing, so that its log
 * remains.
 */
const [, , path = '', session = ''] = process.argv
const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: 5_000 })
const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
const part = db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
await writeOn((n) => {
  const [id, now] = [`w${String(n).padStart(9, '0')}`, Date.now() + n]
  db.exec('BEGIN IMMEDIATE')
  message.run(id, session, now, now, '{"role":"user"}')
  part.run(`p${id}`, id, session, now, now, JSON.stringify({ type: 'text', text: String(n) }))
  db.exec('COMMIT')
  if (n % 50 === 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
})
process.exit()
