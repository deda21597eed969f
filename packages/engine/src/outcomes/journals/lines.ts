import { createReadStream } from 'node:fs'

const NEWLINE = 10
/** A line of more bytes is not ours and is passed on unexamined. */
const LONGEST = 1_048_576

/** A line of the file including its line end, if any; without text if it is too long. */
export interface RawLine {
  readonly bytes: Buffer
  readonly text: string | undefined
  /** True for the last part of the line. */
  readonly whole: boolean
}

/** Yields the lines of a file byte for byte; a long one in several parts. */
export async function* linesIn(path: string): AsyncGenerator<RawLine> {
  let rest: Buffer = Buffer.alloc(0)
  let isLong = false
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const bytes = joined(rest, chunk.subarray(from, end + 1))
      yield { bytes, text: isLong ? undefined : bytes.toString('utf8', 0, bytes.length - 1), whole: true }
      rest = Buffer.alloc(0)
      isLong = false
      from = end + 1
    }
    rest = joined(rest, chunk.subarray(from))
    if (rest.length <= LONGEST) continue
    yield { bytes: rest, text: undefined, whole: false }
    rest = Buffer.alloc(0)
    isLong = true
  }
  if (rest.length > 0) yield { bytes: rest, text: isLong ? undefined : rest.toString('utf8'), whole: false }
}

const joined = (one: Buffer, other: Buffer): Buffer =>
  one.length === 0 ? other : Buffer.concat([one, other])
