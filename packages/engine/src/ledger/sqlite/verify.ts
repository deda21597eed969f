import type { DatabaseSync } from 'node:sqlite'
import { numberOf } from './migrations.ts'
import { baseSeq, lastSeq } from './writer.ts'

/** The slow check of the file itself; answers what is wrong, or nothing. */
export function verify(db: DatabaseSync): readonly string[] {
  const rows = db.prepare('PRAGMA quick_check(20)').all()
  const found = rows.map((row) => String(Object.values(row)[0]))
  db.exec('BEGIN')
  try {
    const expected = lastSeq(db) - baseSeq(db)
    const kept = numberOf(db, 'SELECT count(*) FROM events')
    const gaps = expected === kept ? [] : [`the log has ${kept} events where its numbers say ${expected}`]
    return [...found.filter((line) => line !== 'ok'), ...gaps]
  } finally {
    db.exec('COMMIT')
  }
}
