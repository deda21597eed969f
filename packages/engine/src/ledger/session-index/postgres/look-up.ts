import type { Connection, Row } from '../../postgres/database.ts'
import { MOST_MESSAGES } from '../schema.ts'
import { type Matches, matchesOf, type Phrase, type WordRow } from './phrases.ts'

/** A part, as it is searched. */
export interface SearchedPart {
  readonly number: number
  readonly isFalling: boolean
  readonly rows: number
  readonly tokens: number
}

/** The newest first. */
export async function partsIn({ rows }: Connection): Promise<readonly SearchedPart[]> {
  const found = await rows(
    'SELECT number, rising, rows, tokens FROM index_parts ORDER BY newest DESC, number',
  )
  return found.map(({ number, rising, rows, tokens }) => ({
    number: Number(number),
    isFalling: Number(rising) < 0,
    rows: Number(rows),
    tokens: Number(tokens),
  }))
}

const EXACT = `SELECT part, word, messages, CASE WHEN word = ANY($3) THEN places END AS places
  FROM index_words WHERE part = ANY($1) AND word = ANY($2)`
const OPEN = `SELECT part, messages, CASE WHEN $3 THEN places END AS places
  FROM index_words WHERE part = ANY($1) AND word >= $2 AND word < $2 || chr(1114111)`

/** Which messages of some parts have these phrases: of each part, for each phrase. */
export async function lookUp(
  { rows }: Connection,
  parts: readonly SearchedPart[],
  phrases: readonly Phrase[],
  { onlySaid }: { readonly onlySaid: boolean },
): Promise<ReadonlyMap<number, readonly Matches[]>> {
  const numbers = parts.map(({ number }) => number)
  const closed = phrases.flatMap(({ words, isOpen }) => (isOpen ? words.slice(0, -1) : words))
  const placed = phrases.flatMap(({ words }) => (words.length > 1 ? words : []))
  const exact = closed.length === 0 ? [] : await rows(EXACT, [numbers, [...new Set(closed)], placed])
  const open: { readonly phrase: Phrase; readonly rows: readonly Row[] }[] = []
  for (const phrase of phrases)
    if (phrase.isOpen)
      open.push({
        phrase,
        rows: await rows(OPEN, [numbers, phrase.words.at(-1) ?? '', phrase.words.length > 1]),
      })
  const rowsOf = (part: number, phrase: Phrase, n: number): readonly WordRow[] => {
    const word = phrase.words[n]
    const isOpen = phrase.isOpen && n === phrase.words.length - 1
    const found = isOpen ? (open.find((each) => each.phrase === phrase)?.rows ?? []) : exact
    return found.filter((row) => row.part === part && (isOpen || row.word === word)) as unknown as WordRow[]
  }
  return new Map(
    numbers.map((part) => [
      part,
      phrases.map((phrase) =>
        matchesOf(
          phrase.words.map((_, n) => rowsOf(part, phrase, n)),
          onlySaid,
        ),
      ),
    ]),
  )
}

export const sessionOfMessage = (message: number): number => Math.floor(message / MOST_MESSAGES)

/** The sessions of these messages that are there: whether each is what is asked for. */
export async function sessionsOf(
  { rows }: Connection,
  found: Iterable<readonly Matches[]>,
  where: { readonly sql: string; readonly values: Parameters<Connection['rows']>[1] },
): Promise<ReadonlyMap<number, boolean>> {
  const numbers = new Set<number>()
  for (const phrases of found)
    for (const matches of phrases)
      for (const message of matches.keys()) numbers.add(sessionOfMessage(message))
  if (numbers.size === 0) return new Map()
  const sessions = await rows(
    `SELECT s.number, (${where.sql}) AS asked FROM index_sessions AS s WHERE s.number = ANY($1)`,
    [[...numbers], ...(where.values ?? [])],
  )
  return new Map(sessions.map(({ number, asked }) => [Number(number), asked === true]))
}

/** One part first, then two more, then four: a word that is everywhere is found in the first, a rare one soon in all. */
export function* inWaves<T>(parts: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0, size = 1; at < parts.length; size *= 2) {
    yield parts.slice(at, at + size)
    at += size
  }
}
