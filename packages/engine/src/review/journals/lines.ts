import { createReadStream } from 'node:fs'

const NEWLINE = 10
/** Bytes: a longer line is not one of ours, and is passed on without being looked at. */
const LONGEST = 1_048_576

/** One line as it stands in the file, its end included where it has one; no text where it is too long to be looked at. */
export interface RawLine {
  readonly bytes: Buffer
  readonly text: string | undefined
  /** Nothing of it follows. */
  readonly whole: boolean
}

/** The lines of a file, byte for byte; a long one comes in parts. */
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
