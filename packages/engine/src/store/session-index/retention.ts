import type { DatabaseSync } from 'node:sqlite'
import type { HiddenSession } from './port.ts'

export interface Aged {
  readonly source: string
  readonly id: string
  readonly fingerprint: string
  readonly last_at: number
}

/**
 * Finds the sessions to drop. Sessions that an earlier limit dropped and this one allows leave the
 * list of dropped sessions, so that they are read again.
 */
export function aging(db: DatabaseSync, before: number | null): readonly Aged[] {
  db.prepare('DELETE FROM aged WHERE ?1 IS NULL OR last_at >= ?1').run(before)
  return db
    .prepare(
      'SELECT source, id, fingerprint, last_at FROM sessions WHERE last_at < ? AND fingerprint IS NOT NULL',
    )
    .all(before) as unknown as Aged[]
}

export function keepAged(db: DatabaseSync, sessions: readonly Aged[]): number {
  const keep = db.prepare('INSERT OR REPLACE INTO aged VALUES (?, ?, ?, ?)')
  for (const { source, id, fingerprint, last_at } of sessions) keep.run(source, id, fingerprint, last_at)
  return sessions.length
}

export const hidden = (db: DatabaseSync): readonly HiddenSession[] =>
  db
    .prepare(
      `SELECT source, id, 'begun' AS why FROM sessions WHERE fingerprint IS NULL
       UNION ALL SELECT source, id, 'aged' FROM aged`,
    )
    .all() as unknown as readonly HiddenSession[]
