import type { DatabaseSync } from 'node:sqlite'
import { hitReader } from './hits.ts'
import type { Hit, SearchQuery, SessionFilter } from './port.ts'
import { whereOf } from './queries.ts'
import { MOST_MESSAGES, wordsOfPart } from './schema.ts'
import { queryOf } from './words.ts'

/** So many matches are ranked, and those of the newest parts: of a word that is everywhere nobody looks at more. */
export const ENOUGH = 1_000

/** A message by its number. The lower the rank, the better it matches. */
type Match = readonly [number: number, rank: number]

export function searched(db: DatabaseSync, { text, limit, offset = 0, ...filter }: SearchQuery): Hit[] {
  const match = queryOf(text)
  if (match === undefined) return []
  // A part may go while it is looked through.
  db.exec('BEGIN')
  try {
    // However many are asked for: pages of other sizes would be cut from another order.
    const found = matchesOf(db, match, ENOUGH, filter)
    return hitsOf(db, found.sort((a, b) => a[1] - b[1]).slice(offset, offset + limit))
  } finally {
    db.exec('COMMIT')
  }
}

function matchesOf(db: DatabaseSync, match: string, most: number, filter: SessionFilter): Match[] {
  const { sql, values } = whereOf(filter)
  const found: Match[] = []
  for (const { number, rising } of db
    .prepare('SELECT number, rising FROM parts ORDER BY newest DESC, number')
    .all()) {
    if (found.length >= most) break
    const words = wordsOfPart(Number(number))
    const matches = db.prepare(
      `SELECT w.rowid, w.rank FROM ${words} AS w CROSS JOIN sessions AS s ON s.number = w.rowid / ${MOST_MESSAGES}
       WHERE w.${words} MATCH ? AND ${sql} ORDER BY w.rowid ${Number(rising) < 0 ? 'ASC' : 'DESC'} LIMIT ?`,
    )
    matches.setReturnArrays(true)
    found.push(...(matches.all(match, ...values, most - found.length) as unknown as Match[]))
  }
  return found
}

function hitsOf(db: DatabaseSync, matches: readonly Match[]): Hit[] {
  const read = hitReader(db)
  const told: { readonly hit: Hit; readonly rank: number }[] = []
  for (const [number, rank] of matches) {
    const hit = read(number)
    if (hit !== undefined) told.push({ hit, rank })
  }
  return told.sort((a, b) => a.rank - b.rank || (b.hit.ts ?? 0) - (a.hit.ts ?? 0)).map(({ hit }) => hit)
}
