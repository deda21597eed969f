import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { RawLine } from '../lines.ts'
import { type Place, TAIL_BYTES } from './file-position.ts'

const NEWLINE = 10
const SMALL_READ = 65_536

/** The lines of one read, and where to continue. */
export interface Chunk {
  readonly lines: readonly RawLine[]
  /** The numbers of lines that were too long to read. */
  readonly tooLong: readonly number[]
  readonly next: Place
  /** This is true when nothing more can be read at present. */
  readonly atEnd: boolean
}

export interface ChunkLimits {
  /** The bytes per read. */
  readonly chunk: number
  /** Lines with more bytes than this are skipped. */
  readonly line: number
}

/** Reads whole lines from a place. Returns `moved` when the file is not the one the place refers to. */
export async function readChunk(
  handle: FileHandle,
  place: Place,
  size: number,
  limits: ChunkLimits,
): Promise<Chunk | 'moved'> {
  const before = Buffer.from(place.before, 'base64')
  if (size < place.offset) return 'moved'
  let wanted = limits.chunk
  for (;;) {
    const read = await readAt(
      handle,
      place.offset - before.length,
      before.length + Math.min(wanted, size - place.offset),
    )
    if (!read.subarray(0, before.length).equals(before)) return 'moved'
    const bytes = read.subarray(before.length)
    const end = bytes.lastIndexOf(NEWLINE)
    const whole = bytes.length < wanted
    if (end < 0 && !whole && wanted <= limits.line && !place.skipping) {
      // The line is longer than the bytes read, so read again with the longest allowed length.
      wanted = limits.line + 1
      continue
    }
    return end < 0 ? unended(place, read, bytes, limits) : ended(place, read, bytes, end, whole, limits)
  }
}

/** Handles bytes without a line end: they wait for more, unless the line is too long already. */
function unended(place: Place, read: Buffer, bytes: Buffer, limits: ChunkLimits): Chunk {
  const skips = place.skipping || bytes.length > limits.line
  if (!skips) return { lines: [], tooLong: [], next: place, atEnd: true }
  return {
    lines: [],
    tooLong: place.skipping ? [] : [place.lines + 1],
    next: {
      ...place,
      offset: place.offset + bytes.length,
      before: encodeTail(read),
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
    before: encodeTail(read.subarray(0, read.length - (bytes.length - end - 1))),
    lines: number,
    skipping: false,
  }
  return { lines, tooLong, next, atEnd: whole }
}

const encodeTail = (bytes: Buffer): string => bytes.subarray(-TAIL_BYTES).toString('base64')

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    // A few fresh bytes cost less to read synchronously than on the thread pool.
    const bytesRead =
      length <= SMALL_READ
        ? readSync(handle.fd, buffer, filled, length - filled, position + filled)
        : (await handle.read(buffer, filled, length - filled, position + filled)).bytesRead
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
