import { ByteReader, Bytes } from './bytes.ts'

/** A message that has a word. */
export interface Posting {
  readonly message: number
  /** How often, in what was said and in the names of its tools. */
  readonly said: number
  readonly tools: number
  /** How many words it has altogether. */
  readonly size: number
}

/** Where the word is in each message, counted in words; those of tools come after all that was said. */
export type Places = readonly number[]

const heads = new Bytes()
const bodies = new Bytes()

export interface PackedPostings {
  readonly messages: Buffer
  readonly places: Buffer
  /** How many messages have it in what was said. */
  readonly said: number
}

/** Takes them by rising numbers of messages. What it gives is to be used before the next call. */
export function packPostings(
  postings: Iterable<{ readonly of: Posting; readonly places: Places }>,
): PackedPostings {
  let before = 0
  let count = 0
  for (const { of, places } of postings) {
    heads.put(of.message - before)
    before = of.message
    heads.put(of.said * 2 + (of.tools > 0 ? 1 : 0))
    if (of.tools > 0) heads.put(of.tools)
    heads.put(of.size)
    if (of.said > 0) count += 1
    let last = 0
    for (const place of places) {
      bodies.put(place - last)
      last = place
    }
  }
  return { messages: heads.take(), places: bodies.take(), said: count }
}

export function eachPosting(
  messages: Uint8Array,
  tell: (message: number, said: number, tools: number, size: number) => void,
): void {
  const read = new ByteReader(messages)
  let message = 0
  while (!read.isOver) {
    message += read.next()
    const said = read.next()
    tell(message, said >> 1, said % 2 === 1 ? read.next() : 0, read.next())
  }
}

/** Where the word is in those messages that are wanted. */
export function eachPlaces(
  messages: Uint8Array,
  places: Uint8Array,
  isWanted: (message: number) => boolean,
  tell: (of: Posting, places: Places) => void,
): void {
  const read = new ByteReader(places)
  eachPosting(messages, (message, said, tools, size) => {
    const count = said + tools
    if (!isWanted(message)) return read.skip(count)
    const own: number[] = []
    let last = 0
    for (let n = 0; n < count; n += 1) {
      last += read.next()
      own.push(last)
    }
    tell({ message, said, tools, size }, own)
  })
}
