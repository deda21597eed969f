import { tokensOf } from '../tokens.ts'
import { typedOf } from '../words.ts'
import { keptWord } from './gathered-words.ts'
import { Matches } from './matches.ts'
import { eachPlaces, eachPosting, type Places } from './postings.ts'

/** Words that stand next to each other; the last one may be the beginning of one. */
export interface Phrase {
  readonly words: readonly string[]
  readonly isOpen: boolean
}

export const phraseOf = (text: string, isOpen: boolean): Phrase => ({
  words: tokensOf(text).map(keptWord),
  isOpen,
})

/** What was typed, as FTS5 would take it: what has no words in it asks for nothing. */
export function phrasesOf(text: string): readonly Phrase[] {
  const typed = typedOf(text)
  if (typed === undefined) return []
  const last = typed.phrases.length - 1
  return typed.phrases
    .map((phrase, n) => phraseOf(phrase, typed.isOpen && n === last))
    .filter(({ words }) => words.length > 0)
}

/** What is kept of one word in one segment. Without its places where nobody asks for them. */
export interface WordRow {
  readonly messages: Uint8Array
  readonly places: Uint8Array | null
}

/** Messages that have a phrase, by the rows of each of its words; where only what was said counts, without the names of tools. */
export function matchesOf(rows: readonly (readonly WordRow[])[], onlySaid: boolean): Matches {
  const [first = []] = rows
  return rows.length === 1 ? ofWord(first, onlySaid) : ofWords(rows, onlySaid)
}

function ofWord(rows: readonly WordRow[], onlySaid: boolean): Matches {
  const found = new Matches()
  for (const { messages } of rows)
    eachPosting(messages, (message, said, tools, size) => {
      const freq = onlySaid ? said : said + tools
      if (freq > 0) found.add(message, freq, size)
    })
  return found.sorted()
}

interface Placed {
  readonly places: Places
  readonly size: number
}

function ofWords(rows: readonly (readonly WordRow[])[], onlySaid: boolean): Matches {
  const placed: ReadonlyMap<number, Placed>[] = []
  // The rarest first: only messages that have all words before are looked at.
  const order = [...rows.keys()].sort((a, b) => bytesIn(rows[a]) - bytesIn(rows[b]))
  let before: ReadonlyMap<number, Placed> | undefined
  for (const n of order) {
    before = placesOf(rows[n] ?? [], onlySaid, before)
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

function placesOf(
  rows: readonly WordRow[],
  onlySaid: boolean,
  among: ReadonlyMap<number, Placed> | undefined,
): ReadonlyMap<number, Placed> {
  const found = new Map<number, Placed>()
  const isWanted = (message: number) => among === undefined || among.has(message)
  for (const { messages, places } of rows)
    eachPlaces(messages, places ?? new Uint8Array(), isWanted, ({ message, said, size }, all) => {
      const own = onlySaid ? all.slice(0, said) : all
      // Several words with the same beginning may be in one message.
      const more = found.get(message)?.places
      found.set(message, { places: more === undefined ? own : [...more, ...own], size })
    })
  return found
}
