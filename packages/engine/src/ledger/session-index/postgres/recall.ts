import type { Connection, Database } from '../../postgres/database.ts'
import type { Hit, Recalled, RecallQuery, WeighedWord } from '../port.ts'
import {
  COMMON,
  ENOUGH_WORDS,
  FRESH_MS,
  isSaid,
  isWanted,
  MOST_A_WORD,
  MOST_LOOKED,
  NOTHING,
  TELLING,
} from '../recall.ts'
import { significantWords } from '../words.ts'
import { hitsOf, rolesOfMessages } from './hits.ts'
import { inWaves, lookUp, partsIn, type SearchedPart, sessionOfMessage, sessionsOf } from './look-up.ts'
import { type Matches, type Phrase, phraseOf } from './phrases.ts'

/** The same messages as SQLite's engine recalls, in the same order. */
export async function recalledIn(database: Database, query: RecallQuery): Promise<Recalled> {
  const words = significantWords(query.text)
  if (words.length === 0) return NOTHING
  const sizes = await sizesIn(database)
  return database.snapshot((connection) => found(connection, sizes, words, query))
}

async function found(
  connection: Connection,
  sizes: ReadonlyMap<number, number>,
  words: readonly string[],
  query: RecallQuery,
): Promise<Recalled> {
  const parts = await partsIn(connection)
  const sizeOf = ({ number }: SearchedPart) => sizes.get(number) ?? 0
  const most = Math.max(...parts.map(sizeOf))
  const telling = parts.find((part) => sizeOf(part) >= Math.min(TELLING, most))
  if (telling === undefined) return NOTHING
  const all = parts.reduce((sum, part) => sum + sizeOf(part), 1)
  const counts = await countsIn(connection, telling, words)
  const counted = words
    .map((word, n) => ({ word, count: counts[n] ?? 0 }))
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  const weighed: WeighedWord[] = []
  const scores = new Map<number, number>()
  let met = 0
  for (let at = 0; at < counted.length; ) {
    const isLooked = met < ENOUGH_WORDS && performance.now() < query.until
    // As many as may be needed still are looked for at once.
    const some = counted.slice(at, isLooked ? at + ENOUGH_WORDS - met : undefined)
    const numbers = isLooked ? await numbersOf(connection, parts, some) : []
    at += some.length
    for (const [n, { word, count }] of some.entries()) {
      const own = numbers[n] ?? []
      const many = Math.max(own.length, (count * all) / Math.max(1, sizeOf(telling)))
      if (many === 0) continue
      const weight = Math.log(1 + (all + 0.5) / (many + 0.5))
      weighed.push({ word, weight })
      if (own.length > 0) met += 1
      for (const number of own) scores.set(number, (scores.get(number) ?? 0) + weight)
    }
  }
  const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, MOST_LOOKED)
  const hits = await wanted(
    connection,
    best.map(([number]) => number),
    query,
  )
  return { hits, words: weighed }
}

/** One character of such a run is looked for as the beginning of a pair. */
const asPhrase = (word: string): Phrase => phraseOf(word, word.length === 1)

const EVERYWHERE = { sql: 'true', values: [] }

/** Those that say something in each of them, the newest first. */
async function saidIn(
  connection: Connection,
  parts: readonly SearchedPart[],
  phrases: readonly Phrase[],
): Promise<readonly (readonly (readonly number[])[])[]> {
  const asked = phrases.filter(({ words }) => words.length > 0)
  const matches = await lookUp(connection, parts, asked, { onlySaid: true })
  const sessions = await sessionsOf(connection, matches.values(), EVERYWHERE)
  const live = ({ isFalling }: SearchedPart, of: Matches | undefined) =>
    [...(of?.keys() ?? [])]
      .filter((message) => sessions.has(sessionOfMessage(message)))
      .sort((a, b) => (isFalling ? a - b : b - a))
  return parts.map((part) =>
    phrases.map((phrase) => live(part, matches.get(part.number)?.[asked.indexOf(phrase)])),
  )
}

/** How many messages of a part have each of these, as far as that says something. */
async function countsIn(
  connection: Connection,
  part: SearchedPart,
  words: readonly string[],
): Promise<readonly number[]> {
  const phrases = words.map(asPhrase)
  const surely = await surelyCommon(connection, part, phrases)
  const rare = phrases.filter((phrase) => !surely.has(phrase))
  const [said = []] = await saidIn(connection, [part], rare)
  return phrases.map((phrase) =>
    surely.has(phrase) ? COMMON : Math.min(COMMON, said[rare.indexOf(phrase)]?.length ?? 0),
  )
}

/** Even if every message that is gone had it, it would be common: it need not be read. */
async function surelyCommon(
  { rows, row }: Connection,
  part: SearchedPart,
  phrases: readonly Phrase[],
): Promise<ReadonlySet<Phrase>> {
  const single = phrases.filter(({ words, isOpen }) => words.length === 1 && !isOpen)
  const known = await rows(
    'SELECT word, sum(said) AS said FROM index_words WHERE part = $1 AND word = ANY($2) GROUP BY word HAVING sum(said) >= $3',
    [part.number, single.flatMap(({ words }) => words), COMMON],
  )
  if (known.length === 0) return new Set()
  const there = await row('SELECT sum(worded) AS worded FROM index_sessions WHERE part = $1', [part.number])
  const gone = part.rows - Number(there?.worded)
  const common = new Set(known.filter(({ said }) => Number(said) - gone >= COMMON).map(({ word }) => word))
  return new Set(single.filter(({ words }) => common.has(words[0])))
}

/** The newest messages of each word. */
async function numbersOf(
  connection: Connection,
  parts: readonly SearchedPart[],
  words: readonly { readonly word: string }[],
): Promise<readonly (readonly number[])[]> {
  const phrases = words.map(({ word }) => asPhrase(word))
  const numbers = phrases.map((): number[] => [])
  for (const wave of inWaves(parts)) {
    const wanting = phrases.filter((_, n) => (numbers[n]?.length ?? 0) < MOST_A_WORD)
    if (wanting.length === 0) break
    for (const said of await saidIn(connection, wave, wanting))
      for (const [at, more] of said.entries()) {
        const own = numbers[phrases.indexOf(wanting[at] as Phrase)]
        own?.push(...more.slice(0, MOST_A_WORD - own.length))
      }
  }
  return numbers
}

/** Read so many at once: as a rule that is enough. */
const SOME = 64

async function wanted(
  connection: Connection,
  best: readonly number[],
  query: RecallQuery,
): Promise<readonly Hit[]> {
  const hits: Hit[] = []
  if (best.length === 0) return hits
  const roleOf = await rolesOfMessages(connection, best)
  const said = best.filter((number) => isSaid(roleOf(number)))
  for (let at = 0; at < said.length; at += SOME) {
    if (hits.length >= query.most || performance.now() > query.until) break
    const some = said.slice(at, at + SOME)
    const read = await hitsOf(connection, some)
    for (const number of some) {
      const hit = read.get(number)
      if (hit !== undefined && isWanted(hit, query) && hits.length < query.most) hits.push(hit)
    }
  }
  return hits
}

const known = new WeakMap<Database, { readonly at: number; readonly sizes: ReadonlyMap<number, number> }>()

/** How many messages each part had a short while ago. */
async function sizesIn(database: Database): Promise<ReadonlyMap<number, number>> {
  const before = known.get(database)
  if (before !== undefined && performance.now() - before.at < FRESH_MS) return before.sizes
  const rows = await database.rows('SELECT part, sum(messages) AS n FROM index_sessions GROUP BY part')
  const sizes = new Map(rows.map(({ part, n }) => [Number(part), Number(n)]))
  known.set(database, { at: performance.now(), sizes })
  return sizes
}
