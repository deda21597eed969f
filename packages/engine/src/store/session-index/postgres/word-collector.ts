import { tokenize } from '../tokens.ts'
import { type PackedPostings, packPostings } from './postings.ts'

/** A B-tree entry may not be longer, so a longer word is indexed by its beginning. */
const LONGEST_BYTES = 2_400
const SURELY_SHORT = LONGEST_BYTES / 4

export const indexedWord = (word: string): string => {
  if (word.length <= SURELY_SHORT || Buffer.byteLength(word) <= LONGEST_BYTES) return word
  const cut = Buffer.from(word).subarray(0, LONGEST_BYTES).toString()
  return cut.endsWith('\ufffd') ? cut.slice(0, -1) : cut
}

/**
 * For one word, this holds each message's index in the list of messages, how often the word occurs in the
 * text and in tool names, and its positions.
 */
interface Gathering {
  readonly data: number[]
  last: number
  at: number
}

/** Collects the words of messages that are written together. */
export class GatheredWords {
  readonly #words = new Map<string, Gathering>()
  readonly #messages: number[] = []
  readonly #sizes: number[] = []
  tokens = 0

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** Returns how many words the message has. */
  add(message: number, text: string, tools: string): number {
    const n = this.#messages.length
    const textTokens = tokenize(text)
    const names = tokenize(tools)
    this.#messages.push(message)
    this.#sizes.push(textTokens.length + names.length)
    this.tokens += textTokens.length + names.length
    for (let at = 0; at < textTokens.length; at += 1) this.#put(textTokens[at] ?? '', n, at, 1)
    // One position stays free, so that words on either side do not count as adjacent.
    for (let at = 0; at < names.length; at += 1) this.#put(names[at] ?? '', n, textTokens.length + 1 + at, 2)
    return textTokens.length + names.length
  }

  #put(word: string, n: number, place: number, column: 1 | 2): void {
    const key = word.length <= SURELY_SHORT ? word : indexedWord(word)
    let own = this.#words.get(key)
    if (own === undefined) {
      own = { data: [], last: -1, at: 0 }
      this.#words.set(key, own)
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

  /** Yields the words of messages that still exist. */
  *packed(isThere: (message: number) => boolean): Iterable<readonly [word: string, PackedPostings]> {
    for (const [word, { data }] of [...this.#words].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const postings = [...this.#postings(data, isThere)]
      if (postings.length === 0) continue
      // Messages of several sessions may have arrived interleaved.
      postings.sort((a, b) => a.of.message - b.of.message)
      yield [word, packPostings(postings)]
    }
  }

  *#postings(data: readonly number[], isThere: (message: number) => boolean) {
    for (let at = 0; at < data.length; ) {
      const [n = 0, inText = 0, tools = 0] = [data[at], data[at + 1], data[at + 2]]
      const message = this.#messages[n] ?? 0
      const places = data.slice(at + 3, at + 3 + inText + tools)
      at += 3 + inText + tools
      if (isThere(message)) yield { of: { message, inText, tools, size: this.#sizes[n] ?? 0 }, places }
    }
  }
}
