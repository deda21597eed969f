import { parseTyped } from '../query-parser.ts'
import { tokenize } from '../tokens.ts'
import { Matches } from './matches.ts'
import { eachPlaces, eachPosting, type Places } from './postings.ts'
import { indexedWord } from './word-collector.ts'

/** Words that stand next to each other. The last one may be the beginning of a word. */
export interface Phrase {
  readonly words: readonly string[]
  readonly isOpen: boolean
}

export const toPhrase = (text: string, isOpen: boolean): Phrase => ({
  words: tokenize(text).map(indexedWord),
  isOpen,
})

/** Parses a query as FTS5 would. Text without words matches nothing. */
export function parsePhrases(text: string): readonly Phrase[] {
  const typed = parseTyped(text)
  if (typed === undefined) return []
  const last = typed.phrases.length - 1
  return typed.phrases
    .map((phrase, n) => toPhrase(phrase, typed.isOpen && n === last))
    .filter(({ words }) => words.length > 0)
}

/** Holds what one segment stores about one word, without positions when no caller needs them. */
export interface WordRow {
  readonly messages: Uint8Array
  readonly places: Uint8Array | null
}

/**
 * Finds messages that contain a phrase, from the rows of each of its words. With `textOnly`, the names of
 * tools do not count.
 */
export function findMatches(rows: readonly (readonly WordRow[])[], textOnly: boolean): Matches {
  const [first = []] = rows
  return rows.length === 1 ? matchWord(first, textOnly) : matchWords(rows, textOnly)
}

function matchWord(rows: readonly WordRow[], textOnly: boolean): Matches {
  const found = new Matches()
  for (const { messages } of rows)
    eachPosting(messages, (message, inText, tools, size) => {
      const freq = textOnly ? inText : inText + tools
      if (freq > 0) found.add(message, freq, size)
    })
  return found.sorted()
}

interface Placed {
  readonly places: Places
  readonly size: number
}

function matchWords(rows: readonly (readonly WordRow[])[], textOnly: boolean): Matches {
  const placed: ReadonlyMap<number, Placed>[] = []
  // The rarest word comes first, because only messages with all previous words are examined.
  const order = [...rows.keys()].sort((a, b) => bytesIn(rows[a]) - bytesIn(rows[b]))
  let before: ReadonlyMap<number, Placed> | undefined
  for (const n of order) {
    before = findPlaces(rows[n] ?? [], textOnly, before)
    placed[n] = before
  }
  const found = new Matches()
  for (const [message, { size }] of before ?? []) {
    const [starts = [], ...others] = placed.map((each) => each.get(message)?.places ?? [])
    let freq = 0
    for (const at of starts) if (others.every((places, n) => places.includes(at + n + 1))) freq += 1
    if (freq > 0) found.add(message, freq, size)
  }
  return found.sorted()
}

const bytesIn = (rows: readonly WordRow[] = []): number =>
  rows.reduce((sum, { messages }) => sum + messages.length, 0)

function findPlaces(
  rows: readonly WordRow[],
  textOnly: boolean,
  among: ReadonlyMap<number, Placed> | undefined,
): ReadonlyMap<number, Placed> {
  const found = new Map<number, Placed>()
  const isWanted = (message: number) => among === undefined || among.has(message)
  for (const { messages, places } of rows)
    eachPlaces(messages, places ?? new Uint8Array(), isWanted, ({ message, inText, size }, all) => {
      const own = textOnly ? all.slice(0, inText) : all
      // One message may contain several words with the same beginning.
      const more = found.get(message)?.places
      found.set(message, { places: more === undefined ? own : [...more, ...own], size })
    })
  return found
}
