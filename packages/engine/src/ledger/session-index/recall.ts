import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Message } from '@panoptes/schema'
import { hitReader } from './hits.ts'
import type { Recalled, RecallQuery, WeighedWord } from './port.ts'
import { wordsOfPart } from './schema.ts'
import { significantWords } from './words.ts'

/** A word that is in so many messages of a part is common: it says little, and is not counted further. */
export const COMMON = 600
/** Words are counted in the newest part that has so many messages: what is rare in a few says nothing. */
export const TELLING = 4_096
/** The rarest words are looked for until so many of them were found. */
export const ENOUGH_WORDS = 6
/** Messages that are remembered for one word, the newest of them. */
export const MOST_A_WORD = 256
/** Messages that are looked at to find those that are wanted. */
export const MOST_LOOKED = 400

/**
 * Messages in which some of the rarest words of a text are, the best first: those with more and rarer ones. What is left to do is
 * to look at their texts. Its time does not grow with what words are everywhere.
 */
export function recalledIn(db: DatabaseSync, query: RecallQuery): Recalled {
  const words = significantWords(query.text)
  if (words.length === 0) return NOTHING
  // A part may go while it is looked through.
  db.exec('BEGIN')
  try {
    return found(db, words, query)
  } finally {
    db.exec('COMMIT')
  }
}

export const NOTHING: Recalled = { hits: [], words: [] }

function found(db: DatabaseSync, words: readonly string[], query: RecallQuery): Recalled {
  const parts = partsOf(db)
  const most = Math.max(...parts.map(({ messages }) => messages))
  const telling = parts.find(({ messages }) => messages >= Math.min(TELLING, most))
  if (telling === undefined) return NOTHING
  const all = parts.reduce((sum, { messages }) => sum + messages, 1)
  const counted = words
    .map((word) => ({ word, count: Number(telling.count.get(quoted(word), COMMON)?.n) }))
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  const weighed: WeighedWord[] = []
  const scores = new Map<number, number>()
  let met = 0
  for (const { word, count } of counted) {
    const isLooked = met < ENOUGH_WORDS && performance.now() < query.until
    const numbers = isLooked ? numbersOf(word, parts) : []
    const many = Math.max(numbers.length, (count * all) / Math.max(1, telling.messages))
    if (many === 0) continue
    const weight = Math.log(1 + (all + 0.5) / (many + 0.5))
    weighed.push({ word, weight })
    if (numbers.length > 0) met += 1
    for (const number of numbers) scores.set(number, (scores.get(number) ?? 0) + weight)
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0])
  const read = hitReader(db, isSaid)
  const hits: Recalled['hits'][number][] = []
  for (const [number] of best.slice(0, MOST_LOOKED)) {
    if (hits.length >= query.most || performance.now() > query.until) break
    const hit = read(number)
    if (hit !== undefined && isWanted(hit, query)) hits.push(hit)
  }
  return { hits, words: weighed }
}

export const isSaid = (role: Message['role']): boolean => role === 'user' || role === 'assistant'

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
  /** About how many it has. */
  readonly messages: number
}

/** The newest first. */
function partsOf(db: DatabaseSync): readonly Part[] {
  const rows = db.prepare('SELECT number, rising FROM parts ORDER BY newest DESC, number').all()
  const sizes = sizesIn(db)
  return rows.map(({ number, rising }) => ({
    ...statementsOf(db, Number(number), Number(rising) < 0),
    messages: sizes.get(Number(number)) ?? 0,
  }))
}

type Kept = Omit<Part, 'messages'>
const kept = new WeakMap<DatabaseSync, Map<string, Kept>>()

/** To prepare these takes longer than to ask them. */
function statementsOf(db: DatabaseSync, part: number, isFalling: boolean): Kept {
  const own = kept.get(db) ?? new Map<string, Kept>()
  kept.set(db, own)
  const key = `${part} ${isFalling}`
  const words = wordsOfPart(part)
  const known = own.get(key) ?? {
    count: db.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM ${words} WHERE ${words} MATCH ? LIMIT ?)`),
    // As one text: a row for each takes several times as long.
    numbers: db.prepare(
      `SELECT group_concat(rowid) AS numbers FROM (SELECT rowid FROM ${words} WHERE ${words} MATCH ?
       ORDER BY rowid ${isFalling ? 'ASC' : 'DESC'} LIMIT ?)`,
    ),
  }
  if (own.size > MOST_KEPT) own.clear()
  own.set(key, known)
  return known
}

const MOST_KEPT = 512

function numbersOf(word: string, parts: readonly Part[]): readonly number[] {
  const found: number[] = []
  for (const { numbers } of parts) {
    if (found.length >= MOST_A_WORD) break
    const told = numbers.get(quoted(word), MOST_A_WORD - found.length)?.numbers
    if (typeof told === 'string') for (const number of told.split(',')) found.push(Number(number))
  }
  return found
}

/** One character of such a run is looked for as the beginning of a pair. */
const quoted = (word: string): string => `text : "${word}"${word.length === 1 ? ' *' : ''}`

export const FRESH_MS = 60_000
const known = new WeakMap<
  DatabaseSync,
  { readonly at: number; readonly sizes: ReadonlyMap<number, number> }
>()

/** How many messages each part had a short while ago. */
function sizesIn(db: DatabaseSync): ReadonlyMap<number, number> {
  const before = known.get(db)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return before.sizes
  const rows = db.prepare('SELECT part, total(messages) AS n FROM sessions GROUP BY part').all()
  const sizes = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]))
  known.set(db, { at: performance.now(), sizes })
  return sizes
}
