import { type FileHandle, open } from 'node:fs/promises'
import { parseJson } from '@panoptes/schema/json'

const NEWLINE = 10
const SPACE = 0x20
const READ = 262_144
/** A longer line is matched by its beginning only. */
const MOST_JUDGED = 16_777_216
/** More trailing spaces than lines normally have: an interrupted run was blanking this line. */
const HALF_DONE = 64

/**
 * Overwrites lines with spaces in place. No byte after them moves, so appending writers and followers are not
 * affected. Returns the number of lines.
 */
export async function blankLines(path: string, matches: (line: Buffer) => boolean): Promise<number> {
  const file = await open(path, 'r+').catch(absent)
  if (!file) return 0
  try {
    let count = 0
    for await (const { start, end, bytes } of readLines(file)) {
      if (!matches(bytes) && !isHalfDone(bytes)) continue
      await blank(file, start, end)
      count += 1
    }
    if (count > 0) await file.sync()
    return count
  } finally {
    await file.close()
  }
}

interface Line {
  readonly start: number
  /** Excludes the line end. */
  readonly end: number
  readonly bytes: Buffer
}

async function* readLines(file: FileHandle): AsyncGenerator<Line> {
  const chunk = Buffer.allocUnsafe(READ)
  let start = 0
  let at = 0
  let held: Buffer[] = []
  let size = 0
  const hold = (bytes: Buffer) => {
    if (size < MOST_JUDGED) held.push(Buffer.from(bytes))
    size += bytes.length
  }
  const line = (end: number): Line => {
    const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
    held = []
    size = 0
    return { start, end, bytes }
  }
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, READ, at)
    if (bytesRead === 0) break
    let from = 0
    for (
      let stop = chunk.indexOf(NEWLINE);
      stop >= 0 && stop < bytesRead;
      stop = chunk.indexOf(NEWLINE, from)
    ) {
      hold(chunk.subarray(from, stop))
      if (size > 0) yield line(at + stop)
      from = stop + 1
      start = at + from
      held = []
      size = 0
    }
    hold(chunk.subarray(from, bytesRead))
    at += bytesRead
  }
  if (size > 0) yield line(at)
}

/** Blanks a line from its end, so that its beginning remains as long as any of it does. */
async function blank(file: FileHandle, start: number, end: number): Promise<void> {
  const spaces = Buffer.alloc(Math.min(READ, end - start), SPACE)
  for (let stop = end; stop > start; ) {
    const from = Math.max(start, stop - spaces.length)
    await file.write(spaces, 0, stop - from, from)
    stop = from
  }
}

function isHalfDone(bytes: Buffer): boolean {
  if (bytes.length <= HALF_DONE || bytes[0] === SPACE) return false
  return bytes.subarray(-HALF_DONE).every((byte) => byte === SPACE) && parsed(bytes) === undefined
}

/** Parses a line. Returns undefined when it is not JSON. */
export function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
