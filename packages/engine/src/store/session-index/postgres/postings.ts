/** Encodes whole numbers from 0 on, small ones in one byte. */
class Bytes {
  #buffer = Buffer.allocUnsafe(4_096)
  #length = 0

  put(number: number): void {
    if (this.#length + 8 > this.#buffer.length) this.#grow()
    let rest = number
    while (rest >= 128) {
      this.#buffer[this.#length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#buffer[this.#length++] = rest
  }

  /** Returns what was added since the last call. The result is valid until more is added. */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#length)
    this.#length = 0
    return taken
  }

  #grow(): void {
    const grown = Buffer.allocUnsafe(2 * this.#buffer.length)
    this.#buffer.copy(grown)
    this.#buffer = grown
  }
}

class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length
  }

  next(): number {
    const first = this.#bytes[this.#at++] ?? 0
    if (first < 128) return first
    let number = first - 128
    for (let scale = 128; ; scale *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0
      if (byte < 128) return number + byte * scale
      number += (byte - 128) * scale
    }
  }

  skip(numbers: number): void {
    for (let left = numbers; left > 0; this.#at += 1) if ((this.#bytes[this.#at] ?? 0) < 128) left -= 1
  }
}

/** A message that contains a word. */
export interface Posting {
  readonly message: number
  /** Counts how often it occurs in the message's text. `tools` counts the names of its tools. */
  readonly inText: number
  readonly tools: number
  /** Counts all words of the message. */
  readonly size: number
}

/** The positions of the word in each message, counted in words. Tool names come after the text. */
export type Places = readonly number[]

const heads = new Bytes()
const bodies = new Bytes()

export interface PackedPostings {
  readonly messages: Buffer
  readonly places: Buffer
  /** Counts the messages that contain it in their text. */
  readonly inText: number
}

/** Packs postings in ascending order of messages. The result is valid until the next call. */
export function packPostings(
  postings: Iterable<{ readonly of: Posting; readonly places: Places }>,
): PackedPostings {
  let before = 0
  let count = 0
  for (const { of, places } of postings) {
    heads.put(of.message - before)
    before = of.message
    heads.put(of.inText * 2 + (of.tools > 0 ? 1 : 0))
    if (of.tools > 0) heads.put(of.tools)
    heads.put(of.size)
    if (of.inText > 0) count += 1
    let last = 0
    for (const place of places) {
      bodies.put(place - last)
      last = place
    }
  }
  return { messages: heads.take(), places: bodies.take(), inText: count }
}

export function eachPosting(
  messages: Uint8Array,
  tell: (message: number, inText: number, tools: number, size: number) => void,
): void {
  const read = new ByteReader(messages)
  let message = 0
  while (!read.isOver) {
    message += read.next()
    const header = read.next()
    tell(message, header >> 1, header % 2 === 1 ? read.next() : 0, read.next())
  }
}

/** Visits the positions of the word in the wanted messages. */
export function eachPlaces(
  messages: Uint8Array,
  places: Uint8Array,
  isWanted: (message: number) => boolean,
  tell: (of: Posting, places: Places) => void,
): void {
  const read = new ByteReader(places)
  eachPosting(messages, (message, inText, tools, size) => {
    const count = inText + tools
    if (!isWanted(message)) return read.skip(count)
    const own: number[] = []
    let last = 0
    for (let n = 0; n < count; n += 1) {
      last += read.next()
      own.push(last)
    }
    tell({ message, inText, tools, size }, own)
  })
}
