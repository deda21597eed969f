import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Message } from '@panoptes/schema'
import { hitReader } from './hits.ts'
import type { Recalled, RecallQuery, WeighedWord } from './port.ts'
import { significantWords } from './query-parser.ts'
import { wordsOfPart } from './schema.ts'

/**
 * A word that occurs in this many messages of a part is common: it tells little and is not counted further.
 */
export const COMMON = 600
/**
 * Words are counted in the newest part that has this many messages, because rarity among few messages means
 * nothing.
 */
export const TELLING = 4_096
/** The rarest words are searched until this many of them were found. */
export const ENOUGH_WORDS = 6
/** This many messages are remembered for one word, newest first. */
export const MOST_A_WORD = 256
/** This many messages are examined to find the wanted ones. */
export const MOST_LOOKED = 400

/**
 * Finds messages that contain some of the rarest words of a text, best first: those with more and rarer
 * words. The caller still has to compare their texts. The time does not depend on how often common words
 * occur.
 */
export function recalledIn(db: DatabaseSync, query: RecallQuery): Recalled {
  const words = significantWords(query.text)
  if (words.length === 0) return NOTHING
  // A part may be deleted while it is searched.
  db.exec('BEGIN')
  try {
    return found(db, words, query)
  } finally {
    db.exec('COMMIT')
  }
}

export const NOTHING: Recalled = { hits: [], words: [] }

function found(db: DatabaseSync, words: readonly string[], query: RecallQuery): Recalled {
  const parts = readParts(db)
  const most = Math.max(...parts.map(({ messages }) => messages))
  const telling = parts.find(({ messages }) => messages >= Math.min(TELLING, most))
  if (telling === undefined) return NOTHING
  const all = parts.reduce((sum, { messages }) => sum + messages, 1)
  const counted = words
    .map((word) => ({ word, count: Number(telling.count.get(toQuery(word), COMMON)?.n) }))
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  const weighed: WeighedWord[] = []
  const scores = new Map<number, number>()
  let matched = 0
  for (const { word, count } of counted) {
    const isLooked = matched < ENOUGH_WORDS && performance.now() < query.until
    const numbers = isLooked ? newestNumbers(word, parts) : []
    const many = Math.max(numbers.length, (count * all) / Math.max(1, telling.messages))
    if (many === 0) continue
    const weight = Math.log(1 + (all + 0.5) / (many + 0.5))
    weighed.push({ word, weight })
    if (numbers.length > 0) matched += 1
    for (const number of numbers) scores.set(number, (scores.get(number) ?? 0) + weight)
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0])
  const read = hitReader(db, isConversational)
  const hits: Recalled['hits'][number][] = []
  for (const [number] of best.slice(0, MOST_LOOKED)) {
    if (hits.length >= query.most || performance.now() > query.until) break
    const hit = read(number)
    if (hit !== undefined && isWanted(hit, query)) hits.push(hit)
  }
  return { hits, words: weighed }
}

export const isConversational = (role: Message['role']): boolean => role === 'user' || role === 'assistant'

export function isWanted(
  { source, session_id, ts }: Recalled['hits'][number],
  { except }: RecallQuery,
): boolean {
  if (except === undefined || source !== except.source || session_id !== except.session_id) return true
  return except.since !== null && ts !== null && ts < except.since
}

interface Part {
  readonly count: StatementSync
  readonly numbers: StatementSync
  /** The approximate number of messages in the part. */
  readonly messages: number
}

/** Reads the parts, the newest first. */
function readParts(db: DatabaseSync): readonly Part[] {
  const rows = db.prepare('SELECT number, rising FROM parts ORDER BY newest DESC, number').all()
  const sizes = sizesIn(db)
  return rows.map(({ number, rising }) => ({
    ...prepareStatements(db, Number(number), Number(rising) < 0),
    messages: sizes.get(Number(number)) ?? 0,
  }))
}

type PartStatements = Omit<Part, 'messages'>
const statementCache = new WeakMap<DatabaseSync, Map<string, PartStatements>>()

/** Preparing these statements takes longer than running them. */
function prepareStatements(db: DatabaseSync, part: number, isFalling: boolean): PartStatements {
  const own = statementCache.get(db) ?? new Map<string, PartStatements>()
  statementCache.set(db, own)
  const key = `${part} ${isFalling}`
  const words = wordsOfPart(part)
  const statements = own.get(key) ?? {
    count: db.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${words} WHERE ${words} MATCH ? LIMIT ?)`),
    // The numbers come as one text, because a row for each takes several times as long.
    numbers: db.prepare(
      `SELECT group_concat(rowid) AS numbers FROM (SELECT rowid FROM ${words} WHERE ${words} MATCH ?
       ORDER BY rowid ${isFalling ? 'ASC' : 'DESC'} LIMIT ?)`,
    ),
  }
  if (own.size > MAX_STATEMENTS) own.clear()
  own.set(key, statements)
  return statements
}

const MAX_STATEMENTS = 512

function newestNumbers(word: string, parts: readonly Part[]): readonly number[] {
  const found: number[] = []
  for (const { numbers } of parts) {
    if (found.length >= MOST_A_WORD) break
    const joined = numbers.get(toQuery(word), MOST_A_WORD - found.length)?.numbers
    if (typeof joined === 'string') for (const number of joined.split(',')) found.push(Number(number))
  }
  return found
}

/** A single character of text without spaces is searched as the beginning of a pair. */
const toQuery = (word: string): string => `text : "${word}"${word.length === 1 ? ' *' : ''}`

export const FRESH_MS = 60_000
const sizeCache = new WeakMap<
  DatabaseSync,
  { readonly at: number; readonly sizes: ReadonlyMap<number, number> }
>()

/** Returns how many messages each part had a short while ago. */
function sizesIn(db: DatabaseSync): ReadonlyMap<number, number> {
  const before = sizeCache.get(db)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return before.sizes
  const rows = db.prepare('SELECT part, total(messages) AS n FROM sessions GROUP BY part').all()
  const sizes = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]))
  sizeCache.set(db, { at: performance.now(), sizes })
  return sizes
}
