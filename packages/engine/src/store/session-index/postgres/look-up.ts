import type { Row, Value } from '../../postgres/database.ts'
import type { Matches } from './matches.ts'
import { findMatches, type Phrase, type WordRow } from './phrases.ts'
import type { Asking } from './snapshot-queries.ts'

/** A part of the index as a search uses it. */
export interface SearchedPart {
  readonly number: number
  /** Its position among all parts, newest first, counted from 1. */
  readonly n: number
  readonly isFalling: boolean
  /** All messages and words that were ever in it. */
  readonly rows: number
  readonly tokens: number
  /** Deleted messages whose words may still be in the part. */
  readonly gone: number
}

/** SQL that lists the parts with their positions. */
export const PARTS = `(SELECT number, rising, rows, tokens, rows - messages AS gone,
  row_number() OVER (ORDER BY newest DESC, number) AS n FROM index_parts)`

export const toPart = ({ number, n, rising, rows, tokens, gone }: Row): SearchedPart => ({
  number: Number(number),
  n: Number(n),
  isFalling: Number(rising) < 0,
  rows: Number(rows),
  tokens: Number(tokens),
  gone: Number(gone),
})

export interface FoundIn {
  readonly part: SearchedPart
  /** The matches of each phrase. */
  readonly matches: readonly Matches[]
}

/**
 * Reads from the newest part on until this many bytes were found: all parts for a rare word, few for a common
 * one.
 */
const ENOUGH_BYTES = 98_304
const MOST_PARTS = 1_000_000
const FEW_LETTERS = /^[0-9a-z\u0080-\u1fff]{1,2}$/

const WORDS = `
  SELECT a.turn, (SELECT count(*) FROM index_parts) AS parts, f.* FROM index_about AS a LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT p.*, w.*, sum(octet_length(w.messages)) OVER (ORDER BY p.n GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes
      FROM ${PARTS} AS p LEFT JOIN LATERAL (
        SELECT word, NULL AS open, messages, CASE WHEN word = ANY($2) THEN places END AS places
        FROM index_words WHERE part = p.number AND word = ANY($1)
        UNION ALL
        -- A row for each of very many words takes several times as long.
        SELECT NULL, open, string_agg(int4send(octet_length(messages)) || messages, ''), NULL
        FROM unnest($3::text[]) AS open JOIN index_words ON part = p.number AND word >= open AND word < open || chr(1114111)
        WHERE NOT open = ANY($4) GROUP BY open
        UNION ALL
        SELECT NULL, open, messages, places
        FROM unnest($4::text[]) AS open JOIN index_words ON part = p.number AND word >= open AND word < open || chr(1114111)
      ) AS w ON true
      WHERE p.n > $5 AND p.n <= $5 + $6::bigint
    ) AS p WHERE coalesce(bytes, 0) < ${ENOUGH_BYTES}
  ) AS f ON true`

interface LookUp {
  /** Ignores the names of tools. */
  readonly textOnly: boolean
  /** Looks at parts after this position, and at most this many. */
  readonly after: number
  readonly most?: number
}

export interface LookedUp {
  /** The newest part comes first. */
  readonly found: readonly FoundIn[]
  /** The position of the last part that was examined, or undefined when there are no more. */
  readonly next: number | undefined
}

/** Finds the messages that contain these phrases in the newest of some parts. */
export async function lookUp(
  asking: Asking,
  phrases: readonly Phrase[],
  { textOnly, after, most = MOST_PARTS }: LookUp,
): Promise<LookedUp> {
  const open = phrases.flatMap(({ words, isOpen }) => (isOpen ? words.slice(-1) : []))
  const closed = phrases.flatMap(({ words, isOpen }) => (isOpen ? words.slice(0, -1) : words))
  const placed = phrases.flatMap(({ words }) => (words.length > 1 ? words : []))
  const openPlaced = phrases.flatMap(({ words, isOpen }) =>
    isOpen && words.length > 1 ? words.slice(-1) : [],
  )
  const words = [closed, placed, open, openPlaced].map((each) => [...new Set(each)])
  // Very many words may begin with one or two letters, so the search takes one part first, then two more,
  // then four.
  const parts = Math.min(most, open.some((word) => FEW_LETTERS.test(word)) ? after + 1 : MOST_PARTS)
  const rows = await asking.rows('index_words', WORDS, [...words, after, parts])
  const found = [...Map.groupBy(rows, ({ n }) => n)]
    .flatMap(([n, own]) =>
      n === null || own[0] === undefined
        ? []
        : [{ part: toPart(own[0]), matches: findInPart(own, phrases, textOnly) }],
    )
    .sort((a, b) => a.part.n - b.part.n)
  const last = found.at(-1)?.part.n
  return { found, next: last === rows[0]?.parts ? undefined : last }
}

interface OwnRow extends WordRow {
  readonly word: string | null
  readonly open: string | null
  readonly messages: Buffer
}

/**
 * Splits a row that holds several words with the same beginning, each after its length. When positions are
 * needed, a row holds a single word.
 */
function splitRow(row: OwnRow): readonly OwnRow[] {
  if (row.open === null || row.places !== null) return [row]
  const rows: OwnRow[] = []
  for (let at = 0; at < row.messages.length; ) {
    const end = at + 4 + row.messages.readInt32BE(at)
    rows.push({ ...row, messages: row.messages.subarray(at + 4, end) })
    at = end
  }
  return rows
}

function findInPart(rows: readonly Row[], phrases: readonly Phrase[], textOnly: boolean): readonly Matches[] {
  const there = rows.filter(({ messages }) => messages !== null) as unknown as readonly OwnRow[]
  const closed = Map.groupBy(there, ({ word }) => word)
  const open = Map.groupBy(there.flatMap(splitRow), ({ open }) => open)
  return phrases.map(({ words, isOpen }) =>
    findMatches(
      words.map((word, n) => (isOpen && n === words.length - 1 ? open : closed).get(word) ?? []),
      textOnly,
    ),
  )
}

interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Returns, for each existing session of these messages, whether it matches the filter. */
export async function matchSessions(
  asking: Asking,
  found: readonly FoundIn[],
  { sql, values }: Where,
): Promise<ReadonlyMap<number, boolean>> {
  const numbers = new Set<number>()
  for (const { matches } of found)
    for (const each of matches)
      each.where((session) => {
        numbers.add(session)
        return false
      })
  if (numbers.size === 0) return new Map()
  const sessions = await asking.rows(
    values.length === 0 ? `index_sessions ${sql}` : undefined,
    `SELECT a.turn, s.number, (${sql}) AS asked FROM index_about AS a LEFT JOIN index_sessions AS s ON s.number = ANY($1::bigint[])`,
    [[...numbers], ...values],
  )
  return new Map(sessions.map(({ number, asked }) => [Number(number), asked === true]))
}
