import { tokensOf } from '../tokens.ts'
import { type PackedPostings, packPostings } from './postings.ts'

/** A B-tree takes no longer entries: what is longer is known by its beginning. */
const LONGEST_BYTES = 2_400
const SURELY_SHORT = LONGEST_BYTES / 4

export const keptWord = (word: string): string => {
  if (word.length <= SURELY_SHORT || Buffer.byteLength(word) <= LONGEST_BYTES) return word
  const cut = Buffer.from(word).subarray(0, LONGEST_BYTES).toString()
  return cut.endsWith('\ufffd') ? cut.slice(0, -1) : cut
}

/** Of one word: for each message its place in the list of messages, how often it is said and in names of tools, and where. */
interface Gathering {
  readonly data: number[]
  last: number
  at: number
}

/** The words of messages that are written together. */
export class GatheredWords {
  readonly #words = new Map<string, Gathering>()
  readonly #messages: number[] = []
  readonly #sizes: number[] = []
  tokens = 0

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** Answers how many words it has. */
  add(message: number, text: string, tools: string): number {
    const n = this.#messages.length
    const said = tokensOf(text)
    const names = tokensOf(tools)
    this.#messages.push(message)
    this.#sizes.push(said.length + names.length)
    this.tokens += said.length + names.length
    for (let at = 0; at < said.length; at += 1) this.#put(said[at] ?? '', n, at, 1)
    // A place is left free, so that nothing is next to each other that is not.
    for (let at = 0; at < names.length; at += 1) this.#put(names[at] ?? '', n, said.length + 1 + at, 2)
    return said.length + names.length
  }

  #put(word: string, n: number, place: number, column: 1 | 2): void {
    const kept = word.length <= SURELY_SHORT ? word : keptWord(word)
    let own = this.#words.get(kept)
    if (own === undefined) {
      own = { data: [], last: -1, at: 0 }
      this.#words.set(kept, own)
    }
    if (own.last !== n) {
      own.last = n
      own.at = own.data.length
      own.data.push(n, 0, 0)
    }
    const count = own.at + column
    own.data[count] = (own.data[count] ?? 0) + 1
    own.data.push(place)
  }

  /** Those of messages that are still there, by words. */
  *packed(isThere: (message: number) => boolean): Iterable<readonly [word: string, PackedPostings]> {
    for (const [word, { data }] of [...this.#words].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const postings = [...this.#postings(data, isThere)]
      if (postings.length === 0) continue
      // Those of several sessions may have come in turns.
      postings.sort((a, b) => a.of.message - b.of.message)
      yield [word, packPostings(postings)]
    }
  }

  *#postings(data: readonly number[], isThere: (message: number) => boolean) {
    for (let at = 0; at < data.length; ) {
      const [n = 0, said = 0, tools = 0] = [data[at], data[at + 1], data[at + 2]]
      const message = this.#messages[n] ?? 0
      const places = data.slice(at + 3, at + 3 + said + tools)
      at += 3 + said + tools
      if (isThere(message)) yield { of: { message, said, tools, size: this.#sizes[n] ?? 0 }, places }
    }
  }
}
