import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { SessionRef } from '@panoptes/schema'
import type { ContributionRow, UnlockRow } from '../achievement-store-port.ts'
import { inTransaction } from './statements.ts'

export interface AchievementWrites {
  contribute(rows: readonly ContributionRow[]): null
  unlock(rows: readonly UnlockRow[]): null
  lock(view: string): number
  dropContributions(scope: string): number
  noteAchievement(name: string, value: string): null
}

export interface AchievementReads {
  contributions(scope: string, after: string, limit: number): readonly ContributionRow[]
  unlocks(view: string): readonly UnlockRow[]
  achievementNotes(): ReadonlyMap<string, string>
}

const NOTE = 'achievements: '

export const achievementWrites = (db: () => DatabaseSync): Handlers<AchievementWrites> => ({
  contribute: (_job, rows) => {
    const put = db().prepare(
      `INSERT INTO contributions VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, id) DO UPDATE SET fingerprint = excluded.fingerprint, doc = excluded.doc`,
    )
    inTransaction(db(), () => {
      for (const { scope, id, source, fingerprint, doc } of rows) put.run(scope, id, source, fingerprint, doc)
    })
    return null
  },
  unlock: (_job, rows) => {
    const put = db().prepare(
      'INSERT INTO unlocks VALUES (?, ?, ?) ON CONFLICT (view, id) DO UPDATE SET doc = excluded.doc',
    )
    inTransaction(db(), () => {
      for (const { view, id, doc } of rows) put.run(view, id, doc)
    })
    return null
  },
  noteAchievement: (_job, name, value) => {
    const put = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
    db().prepare(put).run(`${NOTE}${name}`, value)
    return null
  },
  dropContributions: (_job, scope) =>
    Number(db().prepare('DELETE FROM contributions WHERE scope = ?').run(scope).changes),
  lock: (_job, view) =>
    Number(
      db()
        .prepare('DELETE FROM unlocks WHERE view = ?1 OR substr(view, 1, length(?1) + 1) = ?1 || char(10)')
        .run(view).changes,
    ),
})

export const achievementReads = (db: () => DatabaseSync): Handlers<AchievementReads> => ({
  contributions: (_job, scope, after, limit) =>
    db()
      .prepare(
        'SELECT scope, source, id, fingerprint, doc FROM contributions WHERE scope = ? AND id > ? ORDER BY id LIMIT ?',
      )
      .all(scope, after, limit) as unknown as ContributionRow[],
  achievementNotes: () => {
    const rows = db()
      .prepare('SELECT name, value FROM meta WHERE substr(name, 1, ?) = ?')
      .all(NOTE.length, NOTE)
    return new Map(rows.map(({ name, value }) => [String(name).slice(NOTE.length), String(value)]))
  },
  unlocks: (_job, view) =>
    db()
      .prepare('SELECT view, id, doc FROM unlocks WHERE view = ? ORDER BY id')
      .all(view) as unknown as UnlockRow[],
})

/** Keeps the numbers but removes everything that identifies the session. Returns how many rows named it. */
export function forgetAchievements(db: DatabaseSync, { source, id }: SessionRef): number {
  const nameless = db
    .prepare(
      `UPDATE contributions SET id = char(31) || hex(randomblob(16)), fingerprint = '',
         doc = json_remove(json_set(doc, '$.title', ''), '$.skipped')
       WHERE source = ? AND id = ?`,
    )
    .run(source, id)
  const unproven = db
    .prepare(
      "UPDATE unlocks SET doc = json_set(doc, '$.evidence', NULL) WHERE doc ->> '$.evidence.session_id' = ?",
    )
    .run(id)
  return Number(nameless.changes) + Number(unproven.changes)
}
