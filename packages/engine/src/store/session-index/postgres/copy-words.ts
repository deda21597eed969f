import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { from } from 'pg-copy-streams'
import type { Connection } from '../../postgres/database.ts'
import type { PackedPostings } from './postings.ts'

const PIECE = 262_144
/** The start of a binary copy: its signature, no flags, no extension. */
const HEAD = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const END = Buffer.from([0xff, 0xff])
const COLUMNS = 6

/** Writes the words of one segment in binary, because bytes as text would take twice the space. */
export async function copyWords(
  { client }: Connection,
  part: number,
  segment: number,
  words: Iterable<readonly [word: string, PackedPostings]>,
): Promise<void> {
  const stream = client.query(
    from('COPY index_words (part, segment, word, said, messages, places) FROM STDIN BINARY'),
  )
  const over = finished(stream)
  // `over` reports this error; without a listener here it would end the process first.
  over.catch(() => undefined)
  let piece: Buffer[] = [HEAD]
  let size = 0
  for (const [word, { inText, messages, places }] of words) {
    const row = encodeRow(part, segment, Buffer.from(word), inText, messages, places)
    piece.push(row)
    size += row.length
    if (size < PIECE) continue
    if (!stream.write(Buffer.concat(piece))) await Promise.race([once(stream, 'drain'), over])
    piece = []
    size = 0
  }
  stream.end(Buffer.concat([...piece, END]))
  await over
}

function encodeRow(
  part: number,
  segment: number,
  word: Buffer,
  inText: number,
  messages: Buffer,
  places: Buffer,
): Buffer {
  const row = Buffer.allocUnsafe(2 + COLUMNS * 4 + 12 + word.length + messages.length + places.length)
  let at = row.writeInt16BE(COLUMNS, 0)
  const number = (value: number) => {
    at = row.writeInt32BE(value, row.writeInt32BE(4, at))
  }
  const bytes = (value: Buffer) => {
    at = row.writeInt32BE(value.length, at)
    at += value.copy(row, at)
  }
  number(part)
  number(segment)
  bytes(word)
  number(inText)
  bytes(messages)
  bytes(places)
  return row
}
