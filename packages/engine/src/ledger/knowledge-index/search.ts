import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { WeighedWord } from '../session-index/port.ts'
import { scorerOf } from '../session-index/score.ts'
import { significantWords } from '../session-index/words.ts'
import type { FoundPassage, FoundPassages } from './port.ts'

/** Passages that have one of the rarest words are ranked until they are so many; words that are everywhere are not needed for it. */
const ENOUGH = 600
/** A word is counted so far. */
const COMMON = 700
/** The best by these words are looked at with all of them. */
const MOST_LOOKED = 48
/** Where the rarest words are in fewer than this, so many further words are looked for. */
const FEW = 16
const MOST_MORE = 2

const NOTHING: FoundPassages = { passages: [], total: 0 }

/** Passages that have to do with a text, by BM25; not all of its words need to be there. */
export function passagesAbout(db: DatabaseSync, text: string, most: number): FoundPassages {
  const { count, all, best, passage } = statementsOf(db)
  const total = Math.max(1, Number(all.get()?.n))
  const counted = significantWords(text)
    .map((word) => ({ word, count: Number(count.get(quoted(word), COMMON)?.n) }))
    .filter((each) => each.count > 0)
    .sort((a, b) => a.count - b.count || (a.word < b.word ? -1 : 1))
  if (counted.length === 0) return NOTHING
  const looked = candidates(counted, (match) =>
    best.all(match, COMMON, MOST_LOOKED).map(({ number }) => Number(number)),
  )
  const weighed: WeighedWord[] = counted.map(({ word, count }) => ({
    word,
    weight: Math.log(1 + (total + 0.5) / (count + 0.5)),
  }))
  const scoreOf = scorerOf(weighed)
  const ranked = looked
    .flatMap((number) => {
      const row = passage.get(number) as unknown as Row | undefined
      if (row === undefined) return []
      const found: FoundPassage = { ...row, headings: JSON.parse(row.headings) as string[] }
      // What a passage stands under says as much as the words in it.
      const { score, isAbout } = scoreOf(
        [found.path, ...found.headings, found.text].join('\n').normalize('NFC'),
      )
      return isAbout ? [{ found, score, number }] : []
    })
    .sort((a, b) => b.score - a.score || a.number - b.number)
  return { passages: ranked.slice(0, most).map(({ found }) => found), total: ranked.length }
}

interface Counted {
  readonly word: string
  readonly count: number
}

/** Those with the rarest words; where these are few, those with the next ones too. */
function candidates(
  words: readonly Counted[],
  find: (match: string) => readonly number[],
): readonly number[] {
  let sum = 0
  const rare = words.filter(({ count }, n) => {
    sum += count
    return n === 0 || sum <= ENOUGH
  })
  const found = new Set(find(rare.map(({ word }) => quoted(word)).join(' OR ')))
  for (const { word } of words.slice(rare.length, rare.length + MOST_MORE)) {
    if (found.size >= FEW) break
    for (const number of find(quoted(word))) found.add(number)
  }
  return [...found]
}

interface Row {
  readonly folder: string
  readonly path: string
  readonly headings: string
  readonly text: string
}

/** One character of writing without spaces is looked for as the beginning of a pair. */
const quoted = (word: string): string => `"${word}"${word.length === 1 ? ' *' : ''}`

interface Statements {
  readonly count: StatementSync
  readonly all: StatementSync
  readonly best: StatementSync
  readonly passage: StatementSync
}

const kept = new WeakMap<DatabaseSync, Statements>()

function statementsOf(db: DatabaseSync): Statements {
  const known = kept.get(db) ?? {
    count: db.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)'),
    all: db.prepare('SELECT max(number) AS n FROM passages'),
    best: db.prepare(
      `SELECT number FROM (SELECT rowid AS number, bm25(words, 1.0, 2.0) AS score FROM words WHERE words MATCH ? LIMIT ?)
       ORDER BY score, number LIMIT ?`,
    ),
    passage: db.prepare(
      'SELECT f.folder, f.path, p.headings, p.text FROM passages AS p JOIN files AS f ON f.number = p.file WHERE p.number = ?',
    ),
  }
  kept.set(db, known)
  return known
}
