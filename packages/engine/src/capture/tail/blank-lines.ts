import { type FileHandle, open } from 'node:fs/promises'

const NEWLINE = 10
const SPACE = 0x20
const READ = 262_144
/** A line that is longer is judged by its beginning. */
const MOST_JUDGED = 16_777_216
/** More spaces than a line ends with by itself: it was being blanked when something ended us. */
const HALF_DONE = 64

/**
 * Overwrites lines with spaces, in place: no byte after them moves, so that who appends to the file and who follows it go on as
 * if nothing had been. Answers how many lines it was.
 */
export async function blankLines(path: string, isOf: (line: Buffer) => boolean): Promise<number> {
  const file = await open(path, 'r+').catch(absent)
  if (!file) return 0
  try {
    let count = 0
    for await (const { start, end, bytes } of linesOf(file)) {
      if (!isOf(bytes) && !isHalfDone(bytes)) continue
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
  /** Without the line end. */
  readonly end: number
  readonly bytes: Buffer
}

async function* linesOf(file: FileHandle): AsyncGenerator<Line> {
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

/** From its end on: while something of it is left, its beginning is. */
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

/** What a line says; nothing where it is no JSON. */
export function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
  throw error
}
