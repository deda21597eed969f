import type { Database } from '../../postgres/database.ts'
import type { Hit, SearchQuery } from '../port.ts'
import { ENOUGH } from '../search.ts'
import { readHits } from './hits.ts'
import { type FoundIn, type LookedUp, lookUp, matchSessions } from './look-up.ts'
import { parsePhrases } from './phrases.ts'
import { buildWhere } from './queries.ts'
import { type Asking, runConsistently } from './snapshot-queries.ts'

/** A message by its number. A lower rank means a better match. */
type Match = readonly [number: number, rank: number]

/** Finds and ranks the same matches as the SQLite engine. */
export async function search(
  database: Database,
  { text, limit, offset = 0, ...filter }: SearchQuery,
): Promise<readonly Hit[]> {
  const phrases = parsePhrases(text)
  if (phrases.length === 0) return []
  return runConsistently(database, async (asking) => {
    const where = buildWhere(filter, 1)
    const found: Match[] = []
    for (let after: number | undefined = 0; after !== undefined && found.length < ENOUGH; ) {
      const looked: LookedUp = await lookUp(asking, phrases, { textOnly: false, after })
      const sessions = await matchSessions(asking, looked.found, where)
      for (const each of looked.found) found.push(...rankMatches(each, sessions, ENOUGH - found.length))
      after = looked.next
    }
    return readMatches(asking, found.sort((a, b) => a[1] - b[1]).slice(offset, offset + limit))
  })
}

const K1 = 1.2
const B = 0.75
/** The weight of a word that most messages contain. */
const LEAST = 1e-6

/**
 * Computes BM25 exactly as FTS5 does. Deleted messages count towards the number of messages and their length,
 * but not towards the number that contain a word.
 */
function rankMatches(
  { part, matches }: FoundIn,
  sessions: ReadonlyMap<number, boolean>,
  most: number,
): readonly Match[] {
  const messages = findMatching({ part, matches }, sessions).slice(0, Math.max(0, most))
  if (messages.length === 0) return []
  const weights = matches.map((each) => {
    const hits = each.where((session) => sessions.has(session)).length
    const weight = Math.log((part.rows - hits + 0.5) / (hits + 0.5))
    return weight <= 0 ? LEAST : weight
  })
  const usual = part.tokens / part.rows
  return messages.map((message) => {
    let score = 0
    for (const [n, each] of matches.entries()) {
      const freq = each.frequency(message)
      const size = each.messageSize(message)
      score += (weights[n] ?? 0) * ((freq * (K1 + 1)) / (freq + K1 * (1 - B + (B * size) / usual)))
    }
    return [message, -score] as const
  })
}

/** Returns the messages that match all phrases and belong to wanted sessions, newest first. */
function findMatching({ part, matches }: FoundIn, sessions: ReadonlyMap<number, boolean>): readonly number[] {
  const [rarest, ...others] = [...matches].sort((a, b) => a.size - b.size)
  const candidates = rarest?.where((session) => sessions.get(session) === true) ?? []
  const found = candidates.filter((message) => others.every((each) => each.has(message)))
  return part.isFalling ? found : found.reverse()
}

async function readMatches(asking: Asking, matches: readonly Match[]): Promise<readonly Hit[]> {
  const hits = await readHits(
    asking,
    matches.map(([number]) => number),
  )
  return matches
    .flatMap(([number, rank]) => {
      const hit = hits.get(number)
      return hit === undefined ? [] : [{ hit, rank }]
    })
    .sort((a, b) => a.rank - b.rank || (b.hit.ts ?? 0) - (a.hit.ts ?? 0))
    .map(({ hit }) => hit)
}
