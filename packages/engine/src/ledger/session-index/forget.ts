import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { SessionRef } from '@panoptes/schema'
import { wordsOfPart } from './schema.ts'

export interface ForgottenCounts {
  readonly sessions: number
  readonly messages: number
}

/** How much of these is in the index, and in which parts their words are. */
export function aboutSessions(
  db: DatabaseSync,
  sessions: readonly SessionRef[],
): ForgottenCounts & { readonly parts: readonly number[] } {
  const find = db.prepare('SELECT part, messages FROM sessions WHERE source = ? AND id = ?')
  const found = sessions.map(({ source, id }) => find.get(source, id)).filter((row) => row !== undefined)
  return {
    sessions: found.length,
    messages: found.reduce((sum, row) => sum + Number(row.messages), 0),
    parts: [...new Set(found.map((row) => Number(row.part)))],
  }
}

/** Words that were taken out stay in their part until it is put together anew, and pages keep traces of what was in them. */
export function scrub(db: DatabaseSync, parts: readonly number[]): void {
  const there = db.prepare('SELECT 1 FROM parts WHERE number = ?')
  for (const part of parts) {
    const words = wordsOfPart(part)
    if (there.get(part)) db.exec(`INSERT INTO ${words} (${words}) VALUES ('optimize')`)
  }
  // The copy is as large as the index: not in memory.
  db.exec('PRAGMA temp_store = FILE')
  try {
    db.exec('VACUUM')
  } finally {
    db.exec('PRAGMA temp_store = MEMORY')
  }
}

const PATIENCE_MS = 10_000
const AGAIN_MS = 25

/** Whoever reads is waited for. */
export async function emptyLog(db: DatabaseSync): Promise<void> {
  const empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
    if (empty.get()?.busy === 0) return
    await setTimeout(AGAIN_MS)
  }
  throw new Error('something reads the index all the while, so its log could not be emptied')
}
