import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { SessionRef } from '@panoptes/schema'
import { wordsOfPart } from './schema.ts'

export interface ForgottenCounts {
  readonly sessions: number
  readonly messages: number
}

/** Counts what the index contains of these sessions. */
export function aboutSessions(db: DatabaseSync, sessions: readonly SessionRef[]): ForgottenCounts {
  const find = db.prepare(
    'SELECT count(*) AS rows, sum(messages) AS messages FROM sessions WHERE source = ? AND id = ?',
  )
  const found = sessions
    .map(({ source, id }) => find.get(source, id))
    .filter((row) => row !== undefined && Number(row.rows) > 0)
  return {
    sessions: found.length,
    messages: found.reduce((sum, row) => sum + Number(row?.messages), 0),
  }
}

/**
 * Rebuilds the parts, because removed words stay in their part until it is rewritten, and pages keep traces
 * of them. A session that was read several times, or whose forgetting was interrupted by a crash, may have
 * left words in several parts.
 */
export function scrub(db: DatabaseSync): void {
  for (const { number } of db.prepare('SELECT number FROM parts WHERE torn = 1').all()) {
    const words = wordsOfPart(Number(number))
    db.exec(`INSERT INTO ${words} (${words}) VALUES ('optimize')`)
    db.prepare('UPDATE parts SET torn = 0 WHERE number = ?').run(Number(number))
  }
  // The copy is as large as the index, so it must not be held in memory.
  db.exec('PRAGMA temp_store = FILE')
  try {
    db.exec('VACUUM')
  } finally {
    db.exec('PRAGMA temp_store = MEMORY')
  }
}

const PATIENCE_MS = 10_000
const AGAIN_MS = 25

/** Waits for readers to finish. */
export async function emptyLog(db: DatabaseSync): Promise<void> {
  const empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (empty.get()?.busy === 0) return
    await setTimeout(AGAIN_MS)
  }
  throw new Error('another process keeps reading the index, so its log could not be emptied')
}
