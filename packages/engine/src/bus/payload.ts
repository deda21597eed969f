import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { EventRow } from '@panoptes/engine/store'

/** Shorter texts are sent unpacked, because packing them takes longer than sending them. */
const WORTH_PACKING = 4_096
/** Text is cut into chunks of about this many characters. */
const TARGET = 1_048_576
const MOST_UNPACKED = 67_108_864
/** The first byte of a packed message. JSON text never begins with it. */
const PACKED = 0x28

const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function pack(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return bytes.length < WORTH_PACKING ? bytes : zstdCompressSync(bytes, FAST)
}

export function unpack(bytes: Uint8Array): string {
  const text =
    bytes[0] === PACKED ? zstdDecompressSync(bytes, { maxOutputLength: MOST_UNPACKED }) : Buffer.from(bytes)
  return text.toString('utf8')
}

/**
 * Packs lines, in order, into messages of at most `mostBytes`. A line that is larger on its own becomes a
 * message of its own.
 */
export function* packLines(lines: readonly string[], mostBytes: number): Iterable<Uint8Array> {
  let from = 0
  let length = 0
  for (let at = 0; at <= lines.length; at += 1) {
    const next = lines[at]?.length ?? 0
    if (at < lines.length && (at === from || length + next < TARGET)) {
      length += next
      continue
    }
    if (at > from) yield* packFitting(lines.slice(from, at), mostBytes)
    from = at
    length = next
  }
}

function* packFitting(lines: readonly string[], mostBytes: number): Iterable<Uint8Array> {
  const packed = pack(lines.join('\n'))
  if (packed.length <= mostBytes || lines.length === 1) {
    yield packed
    return
  }
  const half = Math.ceil(lines.length / 2)
  yield* packFitting(lines.slice(0, half), mostBytes)
  yield* packFitting(lines.slice(half), mostBytes)
}

/**
 * The rows after a seq: a subscriber that has every row up to that seq has every row up to `last` afterwards.
 * Without rows, a page only announces the end of the log.
 */
export interface Page {
  readonly after: number
  readonly last: number
  readonly rows: readonly EventRow[]
}

export function* packPage({ after, rows, last }: Page, mostBytes: number): Iterable<Uint8Array> {
  const head = `{"after":${after},"last":${last}}`
  const packed = pack([head, ...rows.map(({ json }) => json)].join('\n'))
  if (packed.length <= mostBytes) yield packed
  // A row that is too large for one message is left out; a subscriber that misses it reads it from the store.
  else if (rows.length > 1) {
    const half = Math.ceil(rows.length / 2)
    const between = rows[half - 1]?.seq ?? last
    yield* packPage({ after, rows: rows.slice(0, half), last: between }, mostBytes)
    yield* packPage({ after: between, rows: rows.slice(half), last }, mostBytes)
  }
}

const SEQ = '{"seq":'

export function unpackPage(bytes: Uint8Array): Page {
  const [head = '{}', ...lines] = unpack(bytes).split('\n')
  const { after, last } = JSON.parse(head) as Pick<Page, 'after' | 'last'>
  if (!Number.isSafeInteger(after) || !Number.isSafeInteger(last)) throw new Error('not a page of rows')
  const rows = lines.map((json) => ({ seq: Number.parseInt(json.slice(SEQ.length), 10), json }))
  return { after, last, rows }
}
