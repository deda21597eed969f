import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { RawLine } from '../lines.ts'
import { KEPT_BEFORE, type Place } from './place.ts'

const NEWLINE = 10
const SMALL_READ = 65_536

/** The lines that one read gave, and where to go on. */
export interface Chunk {
  readonly lines: readonly RawLine[]
  /** The numbers of lines that were too long to be read. */
  readonly tooLong: readonly number[]
  readonly next: Place
  /** Nothing more is to be had now. */
  readonly atEnd: boolean
}

export interface ChunkLimits {
  /** How much is read at once. */
  readonly chunk: number
  /** A line of more bytes than this is passed over. */
  readonly line: number
}

/** Reads whole lines from a place on; `moved` when the file is not the one that the place was taken in. */
export async function readChunk(
  handle: FileHandle,
  place: Place,
  size: number,
  limits: ChunkLimits,
): Promise<Chunk | 'moved'> {
  const known = Buffer.from(place.before, 'base64')
  if (size < place.offset) return 'moved'
  let wanted = limits.chunk
  for (;;) {
    const read = await readAt(
      handle,
      place.offset - known.length,
      known.length + Math.min(wanted, size - place.offset),
    )
    if (!read.subarray(0, known.length).equals(known)) return 'moved'
    const bytes = read.subarray(known.length)
    const end = bytes.lastIndexOf(NEWLINE)
    const whole = bytes.length < wanted
    if (end < 0 && !whole && wanted <= limits.line && !place.skipping) {
      // A line longer than what was read: once more, with as much as a line may have.
      wanted = limits.line + 1
      continue
    }
    return end < 0 ? unended(place, read, bytes, limits) : ended(place, read, bytes, end, whole, limits)
  }
}

/** No line ends in what was read: it is left for later, unless it can only become too long. */
function unended(place: Place, read: Buffer, bytes: Buffer, limits: ChunkLimits): Chunk {
  const skips = place.skipping || bytes.length > limits.line
  if (!skips) return { lines: [], tooLong: [], next: place, atEnd: true }
  return {
    lines: [],
    tooLong: place.skipping ? [] : [place.lines + 1],
    next: {
      ...place,
      offset: place.offset + bytes.length,
      before: tailOf(read),
      skipping: true,
    },
    atEnd: bytes.length === 0,
  }
}

function ended(
  place: Place,
  read: Buffer,
  bytes: Buffer,
  end: number,
  whole: boolean,
  limits: ChunkLimits,
): Chunk {
  const lines: RawLine[] = []
  const tooLong: number[] = []
  let number = place.lines
  let skipping = place.skipping
  for (let start = 0; start <= end; ) {
    const stop = bytes.indexOf(NEWLINE, start)
    number += 1
    if (!skipping && stop - start > limits.line) tooLong.push(number)
    else if (!skipping) {
      const text = bytes.toString('utf8', start, stop)
      if (text.trim() !== '') lines.push({ line: number, text })
    }
    skipping = false
    start = stop + 1
  }
  const next: Place = {
    file: place.file,
    offset: place.offset + end + 1,
    before: tailOf(read.subarray(0, read.length - (bytes.length - end - 1))),
    lines: number,
    skipping: false,
  }
  return { lines, tooLong, next, atEnd: whole }
}

const tailOf = (bytes: Buffer): string => bytes.subarray(-KEPT_BEFORE).toString('base64')

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    // The few bytes that were just written cost less here than on another thread.
    const bytesRead =
      length <= SMALL_READ
        ? readSync(handle.fd, buffer, filled, length - filled, position + filled)
        : (await handle.read(buffer, filled, length - filled, position + filled)).bytesRead
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
