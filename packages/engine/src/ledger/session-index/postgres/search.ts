import type { Database } from '../../postgres/database.ts'
import type { Hit, SearchQuery } from '../port.ts'
import { ENOUGH } from '../search.ts'
import { type Asking, ofOneMoment } from './asking.ts'
import { hitsOf } from './hits.ts'
import { type FoundIn, type LookedUp, lookUp, sessionsOf } from './look-up.ts'
import { phrasesOf } from './phrases.ts'
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
  return ofOneMoment(database, async (asking) => {
    const where = whereOf(filter, 1)
    const found: Match[] = []
    for (let after: number | undefined = 0; after !== undefined && found.length < ENOUGH; ) {
      const looked: LookedUp = await lookUp(asking, phrases, { onlySaid: false, after })
      const sessions = await sessionsOf(asking, looked.found, where)
      for (const each of looked.found) found.push(...ranked(each, sessions, ENOUGH - found.length))
      after = looked.next
    }
    return told(asking, found.sort((a, b) => a[1] - b[1]).slice(offset, offset + limit))
  })
}

const K1 = 1.2
const B = 0.75
/** What a word says that is in most messages. */
const LEAST = 1e-6

/** BM25 as FTS5 computes it, step by step: what is gone counts for how many messages there are and how long, not for who has a word. */
function ranked(
  { part, matches }: FoundIn,
  sessions: ReadonlyMap<number, boolean>,
  most: number,
): readonly Match[] {
  const messages = matching({ part, matches }, sessions).slice(0, Math.max(0, most))
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
      const freq = each.freqOf(message)
      const size = each.sizeOf(message)
      score += (weights[n] ?? 0) * ((freq * (K1 + 1)) / (freq + K1 * (1 - B + (B * size) / usual)))
    }
    return [message, -score] as const
  })
}

/** Those that have all of them, of sessions that are asked for, the newest first. */
function matching({ part, matches }: FoundIn, sessions: ReadonlyMap<number, boolean>): readonly number[] {
  const [rarest, ...others] = [...matches].sort((a, b) => a.size - b.size)
  const asked = rarest?.where((session) => sessions.get(session) === true) ?? []
  const found = asked.filter((message) => others.every((each) => each.has(message)))
  return part.isFalling ? found : found.reverse()
}

async function told(asking: Asking, matches: readonly Match[]): Promise<readonly Hit[]> {
  const hits = await hitsOf(
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
