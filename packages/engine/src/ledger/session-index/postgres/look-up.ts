import type { Row, Value } from '../../postgres/database.ts'
import type { Asking } from './asking.ts'
import type { Matches } from './matches.ts'
import { matchesOf, type Phrase, type WordRow } from './phrases.ts'

/** A part, as it is searched. */
export interface SearchedPart {
  readonly number: number
  /** Its place among all of them, the newest first, from 1 on. */
  readonly n: number
  readonly isFalling: boolean
  /** All messages and words that were ever in it. */
  readonly rows: number
  readonly tokens: number
  /** Messages that are gone, and of which words may still be there. */
  readonly gone: number
}

/** SQL: the parts, with their places. */
export const PARTS = `(SELECT number, rising, rows, tokens, rows - messages AS gone,
  row_number() OVER (ORDER BY newest DESC, number) AS n FROM index_parts)`

export const partOf = ({ number, n, rising, rows, tokens, gone }: Row): SearchedPart => ({
  number: Number(number),
  n: Number(n),
  isFalling: Number(rising) < 0,
  rows: Number(rows),
  tokens: Number(tokens),
  gone: Number(gone),
})

export interface FoundIn {
  readonly part: SearchedPart
  /** For each phrase. */
  readonly matches: readonly Matches[]
}

/** From the newest part on until so many bytes came: of a rare word, all parts; of one that is everywhere, few. */
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
  /** Names of tools do not count. */
  readonly onlySaid: boolean
  /** Parts after so many of them, and so many at most. */
  readonly after: number
  readonly most?: number
}

export interface LookedUp {
  /** The newest first. */
  readonly found: readonly FoundIn[]
  /** The place of the last part that was looked at; nothing when there are no more. */
  readonly next: number | undefined
}

/** Which messages have these phrases, in the newest of some parts. */
export async function lookUp(
  asking: Asking,
  phrases: readonly Phrase[],
  { onlySaid, after, most = MOST_PARTS }: LookUp,
): Promise<LookedUp> {
  const open = phrases.flatMap(({ words, isOpen }) => (isOpen ? words.slice(-1) : []))
  const closed = phrases.flatMap(({ words, isOpen }) => (isOpen ? words.slice(0, -1) : words))
  const placed = phrases.flatMap(({ words }) => (words.length > 1 ? words : []))
  const openPlaced = phrases.flatMap(({ words, isOpen }) =>
    isOpen && words.length > 1 ? words.slice(-1) : [],
  )
  const words = [closed, placed, open, openPlaced].map((each) => [...new Set(each)])
  // Very many words may begin with a letter or two: one part first, then two more, then four.
  const parts = Math.min(most, open.some((word) => FEW_LETTERS.test(word)) ? after + 1 : MOST_PARTS)
  const rows = await asking.rows('index_words', WORDS, [...words, after, parts])
  const found = [...Map.groupBy(rows, ({ n }) => n)]
    .flatMap(([n, own]) =>
      n === null || own[0] === undefined
        ? []
        : [{ part: partOf(own[0]), matches: inPart(own, phrases, onlySaid) }],
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

/** Of words that begin alike all are in one row, each after its length; where their places are asked for, one is in a row. */
function apart(row: OwnRow): readonly OwnRow[] {
  if (row.open === null || row.places !== null) return [row]
  const rows: OwnRow[] = []
  for (let at = 0; at < row.messages.length; ) {
    const end = at + 4 + row.messages.readInt32BE(at)
    rows.push({ ...row, messages: row.messages.subarray(at + 4, end) })
    at = end
  }
  return rows
}

function inPart(rows: readonly Row[], phrases: readonly Phrase[], onlySaid: boolean): readonly Matches[] {
  const there = rows.filter(({ messages }) => messages !== null) as unknown as readonly OwnRow[]
  const closed = Map.groupBy(there, ({ word }) => word)
  const open = Map.groupBy(there.flatMap(apart), ({ open }) => open)
  return phrases.map(({ words, isOpen }) =>
    matchesOf(
      words.map((word, n) => (isOpen && n === words.length - 1 ? open : closed).get(word) ?? []),
      onlySaid,
    ),
  )
}

interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/** The sessions of these messages that are there: whether each is what is asked for. */
export async function sessionsOf(
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
