import { DatabaseSync } from 'node:sqlite'

/** Opens the file of an index for callers that only read. */
export function openToRead(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
  db.exec('PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY')
  return db
}
