import type { DatabaseSync } from 'node:sqlite'
import { hitReader } from './hits.ts'
import type { Hit, SearchQuery, SessionFilter } from './port.ts'
import { buildWhere } from './queries.ts'
import { toFtsQuery } from './query-parser.ts'
import { MOST_MESSAGES, wordsOfPart } from './schema.ts'

/**
 * This many matches are ranked, from the newest parts, because nobody looks at more results for a common
 * word.
 */
export const ENOUGH = 1_000

/** A message by its number. A lower rank means a better match. */
type Match = readonly [number: number, rank: number]

export function searched(db: DatabaseSync, { text, limit, offset = 0, ...filter }: SearchQuery): Hit[] {
  const match = toFtsQuery(text)
  if (match === undefined) return []
  // A part may be deleted while it is searched.
  db.exec('BEGIN')
  try {
    // The number is the same for every page, because pages of another ranking would not fit together.
    const found = findMatches(db, match, ENOUGH, filter)
    return readHits(db, found.sort((a, b) => a[1] - b[1]).slice(offset, offset + limit))
  } finally {
    db.exec('COMMIT')
  }
}

function findMatches(db: DatabaseSync, match: string, most: number, filter: SessionFilter): Match[] {
  const { sql, values } = buildWhere(filter)
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

function readHits(db: DatabaseSync, matches: readonly Match[]): Hit[] {
  const read = hitReader(db)
  const ranked: { readonly hit: Hit; readonly rank: number }[] = []
  for (const [number, rank] of matches) {
    const hit = read(number)
    if (hit !== undefined) ranked.push({ hit, rank })
  }
  return ranked.sort((a, b) => a.rank - b.rank || (b.hit.ts ?? 0) - (a.hit.ts ?? 0)).map(({ hit }) => hit)
}
