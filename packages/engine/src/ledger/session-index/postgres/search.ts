import type { Connection, Database } from '../../postgres/database.ts'
import type { Hit, SearchQuery } from '../port.ts'
import { ENOUGH } from '../search.ts'
import { hitsOf } from './hits.ts'
import { inWaves, lookUp, partsIn, type SearchedPart, sessionOfMessage, sessionsOf } from './look-up.ts'
import { type Matches, phrasesOf } from './phrases.ts'
import { whereOf } from './queries.ts'

/** A message by its number. The lower the rank, the better it matches. */
type Match = readonly [number: number, rank: number]

/** The same matches as SQLite's engine finds, ranked alike. */
export async function searched(
  database: Database,
  { text, limit, offset = 0, ...filter }: SearchQuery,
): Promise<readonly Hit[]> {
  const phrases = phrasesOf(text)
  if (phrases.length === 0) return []
  // What is looked for stays as it is meanwhile.
  return database.snapshot(async (connection) => {
    const where = whereOf(filter, 1)
    const found: Match[] = []
    for (const parts of inWaves(await partsIn(connection))) {
      if (found.length >= ENOUGH) break
      const matches = await lookUp(connection, parts, phrases, { onlySaid: false })
      const sessions = await sessionsOf(connection, matches.values(), where)
      for (const part of parts)
        found.push(...ranked(part, matches.get(part.number) ?? [], sessions, ENOUGH - found.length))
    }
    return told(connection, found.sort((a, b) => a[1] - b[1]).slice(offset, offset + limit))
  })
}

const K1 = 1.2
const B = 0.75
/** What a word says that is in most messages. */
const LEAST = 1e-6

/** BM25 as FTS5 computes it, step by step: what is gone counts for how many messages there are and how long, not for who has a word. */
function ranked(
  part: SearchedPart,
  phrases: readonly Matches[],
  sessions: ReadonlyMap<number, boolean>,
  most: number,
): readonly Match[] {
  if (most <= 0) return []
  const messages = matching(phrases, sessions, part.isFalling).slice(0, most)
  if (messages.length === 0) return []
  const weights = phrases.map((matches) => {
    let hits = 0
    for (const message of matches.keys()) if (sessions.has(sessionOfMessage(message))) hits += 1
    const weight = Math.log((part.rows - hits + 0.5) / (hits + 0.5))
    return weight <= 0 ? LEAST : weight
  })
  const usual = part.tokens / part.rows
  return messages.map((message) => {
    let score = 0
    for (const [n, matches] of phrases.entries()) {
      const { freq = 0, size = 0 } = matches.get(message) ?? {}
      score += (weights[n] ?? 0) * ((freq * (K1 + 1)) / (freq + K1 * (1 - B + (B * size) / usual)))
    }
    return [message, -score] as const
  })
}

/** Those that have all of them, of sessions that are asked for, the newest first. */
function matching(
  phrases: readonly Matches[],
  sessions: ReadonlyMap<number, boolean>,
  isFalling: boolean,
): readonly number[] {
  const [rarest, ...others] = [...phrases].sort((a, b) => a.size - b.size)
  const found: number[] = []
  for (const message of rarest?.keys() ?? [])
    if (sessions.get(sessionOfMessage(message)) === true && others.every((each) => each.has(message)))
      found.push(message)
  return found.sort((a, b) => (isFalling ? a - b : b - a))
}

async function told(connection: Connection, matches: readonly Match[]): Promise<readonly Hit[]> {
  const hits = await hitsOf(
    connection,
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
