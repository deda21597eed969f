import { DatabaseSync } from 'node:sqlite'

/** Commits numbered prompts to a session, each with its part, until its input ends. It leaves without closing, so that its log stays. */
const [, , path = '', session = ''] = process.argv
const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: 5_000 })
const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)')
const part = db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)')
let written = 0
let over = false
process.stdin.on('end', () => {
  over = true
})
process.stdin.resume()
console.log('ready')
while (!over) {
  written += 1
  const [id, now] = [`w${String(written).padStart(9, '0')}`, Date.now() + written]
  db.exec('BEGIN IMMEDIATE')
  message.run(id, session, now, now, '{"role":"user"}')
  part.run(`p${id}`, id, session, now, now, JSON.stringify({ type: 'text', text: String(written) }))
  db.exec('COMMIT')
  if (written % 50 === 0) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  await new Promise((done) => setTimeout(done, 2))
}
console.log(written)
process.exit()
