import type { DatabaseSync } from 'node:sqlite'

/** A session that was read under another price is known by no fingerprint: it is shown as it is, and read again. */
export function repriced(db: DatabaseSync, markOf: (model: string) => string): number {
  const known = new Map(
    db
      .prepare('SELECT model, mark FROM prices')
      .all()
      .map((row) => [String(row.model), String(row.mark)]),
  )
  const keep = db.prepare('INSERT OR REPLACE INTO prices VALUES (?, ?)')
  const again = db.prepare(
    `UPDATE sessions SET fingerprint = '' WHERE fingerprint <> '' AND number IN (SELECT session FROM models WHERE model = ?)`,
  )
  let count = 0
  for (const row of db.prepare('SELECT DISTINCT model FROM models').all()) {
    const model = String(row.model)
    const mark = markOf(model)
    if (known.get(model) === mark) continue
    if (known.has(model)) count += Number(again.run(model).changes)
    keep.run(model, mark)
  }
  return count
}
