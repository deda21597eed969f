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
