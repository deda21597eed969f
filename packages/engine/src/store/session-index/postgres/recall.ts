import type { Database } from '../../postgres/database.ts'
import type { Hit, Recalled, RecallQuery, WeighedWord } from '../port.ts'
import { significantWords } from '../query-parser.ts'
import {
  COMMON,
  ENOUGH_WORDS,
  FRESH_MS,
  isConversational,
  isWanted,
  MOST_A_WORD,
  MOST_LOOKED,
  NOTHING,
  TELLING,
} from '../recall.ts'
import { readHits, rolesOfMessages } from './hits.ts'
import {
  type FoundIn,
  type LookedUp,
  lookUp,
  matchSessions,
  PARTS,
  type SearchedPart,
  toPart,
} from './look-up.ts'
import { type Phrase, toPhrase } from './phrases.ts'
import { type Asking, runConsistently } from './snapshot-queries.ts'

/** Recalls the same messages as the SQLite engine, in the same order. */
export async function recall(database: Database, query: RecallQuery): Promise<Recalled> {
  const words = significantWords(query.text)
  if (words.length === 0) return NOTHING
  const sizes = await sizesIn(database)
  return runConsistently(database, (asking) => recallFrom(asking, sizes, words, query))
}

async function recallFrom(
  asking: Asking,
  sizes: ReadonlyMap<number, number>,
  words: readonly string[],
  query: RecallQuery,
): Promise<Recalled> {
  const parts = await partsWith(asking, words.map(toWordPhrase))
  const partSize = ({ number }: SearchedPart) => sizes.get(number) ?? 0
  const most = Math.max(...parts.map(partSize))
  const telling = parts.find((part) => partSize(part) >= Math.min(TELLING, most))
  if (telling === undefined) return NOTHING
  const all = parts.reduce((sum, part) => sum + partSize(part), 1)
  const counts = await countWords(asking, telling, words)
  const counted = words
    .map((word, n) => ({ word, count: counts[n] ?? 0 }))
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  const weighed: WeighedWord[] = []
  const scores = new Map<number, number>()
  let matched = 0
  for (let at = 0; at < counted.length; ) {
    const isLooked = matched < ENOUGH_WORDS && performance.now() < query.until
    // As many words as may still be needed are searched at once.
    const some = counted.slice(at, isLooked ? at + ENOUGH_WORDS - matched : undefined)
    const numbers = isLooked ? await findNewest(asking, some) : []
    at += some.length
    for (const [n, { word, count }] of some.entries()) {
      const own = numbers[n] ?? []
      const many = Math.max(own.length, (count * all) / Math.max(1, partSize(telling)))
      if (many === 0) continue
      const weight = Math.log(1 + (all + 0.5) / (many + 0.5))
      weighed.push({ word, weight })
      if (own.length > 0) matched += 1
      for (const number of own) scores.set(number, (scores.get(number) ?? 0) + weight)
    }
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, MOST_LOOKED)
  const hits = await wanted(
    asking,
    best.map(([number]) => number),
    query,
  )
  return { hits, words: weighed }
}

/** A single character of text without spaces is searched as the beginning of a pair. */
const toWordPhrase = (word: string): Phrase => toPhrase(word, word.length === 1)

interface TellingPart extends SearchedPart {
  /** Counts the messages that contain a word in their text, including deleted messages. */
  readonly textCounts: ReadonlyMap<string, number>
}

const WORD_COUNTS = `SELECT a.turn, p.*, w.word, w.said FROM index_about AS a LEFT JOIN ${PARTS} AS p ON true LEFT JOIN LATERAL
  (SELECT word, sum(said) AS said FROM index_words WHERE part = p.number AND word = ANY($1) GROUP BY word) AS w ON true`

/** Returns parts with the counts of these words, the newest part first. */
async function partsWith(asking: Asking, phrases: readonly Phrase[]): Promise<readonly TellingPart[]> {
  const rows = await asking.rows('index_said', WORD_COUNTS, [phrases.flatMap(({ words }) => words)])
  return [...Map.groupBy(rows, ({ n }) => n)]
    .flatMap(([n, own]) =>
      n === null || own[0] === undefined
        ? []
        : [
            {
              ...toPart(own[0]),
              textCounts: new Map(own.map(({ word, said }) => [String(word), Number(said)])),
            },
          ],
    )
    .sort((a, b) => a.n - b.n)
}

/** Finds messages that contain a significant word, newest first. */
async function findLiveMessages(
  asking: Asking,
  found: readonly FoundIn[],
): Promise<readonly { readonly part: SearchedPart; readonly messages: readonly (readonly number[])[] }[]> {
  const sessions = await matchSessions(asking, found, { sql: 'true', values: [] })
  return found.map(({ part, matches }) => ({
    part,
    messages: matches.map((each) => {
      const there = each.where((session) => sessions.has(session))
      return part.isFalling ? there : there.toReversed()
    }),
  }))
}

/** Counts the messages of a part that contain each word, as far as the count matters. */
async function countWords(
  asking: Asking,
  part: TellingPart,
  words: readonly string[],
): Promise<readonly number[]> {
  const phrases = words.map(toWordPhrase)
  const counts = phrases.map((phrase) => countWithoutReading(part, phrase))
  const unsure = phrases.filter((phrase, n) => counts[n] === undefined && phrase.words.length > 0)
  const read = await countByReading(asking, part, unsure)
  return phrases.map((phrase, n) => counts[n] ?? read[unsure.indexOf(phrase)] ?? 0)
}

/**
 * Counts without reading which messages contain the word: this works when nothing was deleted, or when the
 * word would be common even if every deleted message contained it.
 */
function countWithoutReading(
  { textCounts, gone }: TellingPart,
  { words, isOpen }: Phrase,
): number | undefined {
  if (words.length !== 1 || isOpen) return undefined
  const most = textCounts.get(words[0] ?? '') ?? 0
  return most === 0 || gone === 0 || most - gone >= COMMON ? Math.min(COMMON, most) : undefined
}

async function countByReading(
  asking: Asking,
  { n }: SearchedPart,
  phrases: readonly Phrase[],
): Promise<readonly number[]> {
  if (phrases.length === 0) return []
  const { found } = await lookUp(asking, phrases, { textOnly: true, after: n - 1, most: 1 })
  const [own] = await findLiveMessages(asking, found)
  return own?.messages.map(({ length }) => Math.min(COMMON, length)) ?? []
}

/** Returns the newest messages of each word. */
async function findNewest(
  asking: Asking,
  some: readonly { readonly word: string }[],
): Promise<readonly (readonly number[])[]> {
  const words = some.map(({ word }) => ({ phrase: toWordPhrase(word), numbers: [] as number[] }))
  for (let after: number | undefined = 0; after !== undefined; ) {
    const wanting = words.filter(({ numbers }) => numbers.length < MOST_A_WORD)
    if (wanting.length === 0) break
    const phrases = wanting.map(({ phrase }) => phrase)
    const looked: LookedUp = await lookUp(asking, phrases, { textOnly: true, after })
    for (const { messages } of await findLiveMessages(asking, looked.found))
      for (const [n, { numbers }] of wanting.entries())
        numbers.push(...(messages[n] ?? []).slice(0, MOST_A_WORD - numbers.length))
    after = looked.next
  }
  return words.map(({ numbers }) => numbers)
}

/** Reads this many at once, which is usually enough. */
const SOME = 64

async function wanted(asking: Asking, best: readonly number[], query: RecallQuery): Promise<readonly Hit[]> {
  const hits: Hit[] = []
  if (best.length === 0) return hits
  const findRole = await rolesOfMessages(asking, best)
  const candidates = best.filter((number) => isConversational(findRole(number)))
  for (let at = 0; at < candidates.length; at += SOME) {
    if (hits.length >= query.most || performance.now() > query.until) break
    const some = candidates.slice(at, at + SOME)
    const read = await readHits(asking, some)
    for (const number of some) {
      const hit = read.get(number)
      if (hit !== undefined && isWanted(hit, query) && hits.length < query.most) hits.push(hit)
    }
  }
  return hits
}

const sizeCache = new WeakMap<
  Database,
  { readonly at: number; readonly sizes: ReadonlyMap<number, number> }
>()

/** Returns how many messages each part had a short while ago. */
async function sizesIn(database: Database): Promise<ReadonlyMap<number, number>> {
  const before = sizeCache.get(database)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return before.sizes
  const rows = await database.rows('SELECT part, sum(messages) AS n FROM index_sessions GROUP BY part')
  const sizes = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]))
  sizeCache.set(database, { at: performance.now(), sizes })
  return sizes
}
