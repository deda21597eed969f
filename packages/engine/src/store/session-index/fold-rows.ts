import type { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { SessionRef } from '@panoptes/schema'
import type { FoldedSession } from './port.ts'

export const compressFold = (doc: string): Uint8Array => zstdCompressSync(doc)
export const decompressFold = (doc: Uint8Array): string => zstdDecompressSync(doc).toString()

export const readFolded = (db: DatabaseSync, fold: string, source: string): readonly FoldedSession[] =>
  db
    .prepare('SELECT version, listed FROM folds WHERE fold = ? AND source = ?')
    .all(fold, source) as unknown as readonly FoldedSession[]

export function readFoldDocs(
  db: DatabaseSync,
  fold: string,
  source: string,
  ids: readonly string[],
): ReadonlyMap<string, string> {
  const find = db.prepare('SELECT doc FROM folds WHERE fold = ? AND source = ? AND id = ?')
  return new Map(
    ids.flatMap((id) => {
      const doc = find.get(fold, source, id)?.doc
      return doc instanceof Uint8Array ? [[id, decompressFold(doc)]] : []
    }),
  )
}

export function forgetFolds(db: DatabaseSync, sessions: readonly SessionRef[]): void {
  const drop = db.prepare('DELETE FROM folds WHERE source = ? AND id = ?')
  for (const { source, id } of sessions) drop.run(source, id)
}

/**
 * Removes the fingerprint of all sessions if a fold has other rules than when they were read: they stay visible
 * and are read again.
 */
export function refolded(db: DatabaseSync, rules: ReadonlyMap<string, string>): number {
  const stored = new Map(
    db
      .prepare('SELECT fold, rules FROM fold_rules')
      .all()
      .map((row) => [String(row.fold), String(row.rules)]),
  )
  const changed = [...rules].filter(([fold, own]) => stored.get(fold) !== own)
  if (changed.length === 0) return 0
  db.exec('BEGIN IMMEDIATE')
  try {
    const { changes } = db.prepare("UPDATE sessions SET fingerprint = '' WHERE fingerprint <> ''").run()
    // Those that are too old are read as well, and then dropped again: their results stay.
    const aged = db.prepare('DELETE FROM aged').run()
    const keep = db.prepare('INSERT OR REPLACE INTO fold_rules VALUES (?, ?)')
    for (const [fold, own] of changed) keep.run(fold, own)
    db.exec('COMMIT')
    return Number(changes) + Number(aged.changes)
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}
