import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '@panoptes/engine/home'

const MODE = 0o600
const NEWLINE = 10
/** The number of characters written at once. */
const AT_ONCE = 262_144
const TRIES = 5

/**
 * The result for a line: a replacement, null to delete it, or undefined to keep it byte for byte.
 */
export type Change = (line: string) => string | null | undefined

/** A line of more bytes is not ours and is passed on unexamined. */
const LONGEST = 1_048_576

/** A line of the file including its line end, if any; without text if it is too long. */
interface RawLine {
  readonly bytes: Buffer
  readonly text: string | undefined
  /** True for the last part of the line. */
  readonly whole: boolean
}

/** A line-based file that other programs may read and write. Its methods throw system errors. */
export class JournalFile {
  readonly path: string
  #tidied = false

  constructor(path: string) {
    this.path = path
  }

  /** Appends all of these lines or none. */
  async append(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    await this.#make()
    const file = await open(this.path, 'a+', MODE)
    try {
      const { size } = await file.stat()
      const begin = size > 0 && (await lastByte(file, size)) !== NEWLINE ? '\n' : ''
      try {
        await file.appendFile(`${begin}${lines.join('\n')}\n`)
        await file.datasync()
      } catch (error) {
        // A full disk may leave a partial line.
        await file.truncate(size).catch(() => undefined)
        throw error
      }
    } finally {
      await file.close()
    }
  }

  /** Visits every line that is short enough. */
  async each(look: (line: string) => void): Promise<void> {
    await this.#look()
    try {
      for await (const { text } of linesIn(this.path)) if (text !== undefined) look(text)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  /**
   * Rewrites the file with changed lines and keeps the others byte for byte. Returns the number of
   * changes.
   */
  async rewrite(change: () => Change): Promise<number> {
    await this.#make()
    for (let attempt = 1; ; attempt += 1) {
      const done = await this.#rewrite(change(), attempt === TRIES)
      if (done !== undefined) return done
    }
  }

  /** Removes an incomplete last line if it cannot be parsed. */
  async mend(isOurs: (line: string) => boolean): Promise<void> {
    await this.#look()
    let last: { readonly text: string | undefined; readonly bytes: Buffer } | undefined
    try {
      for await (const line of linesIn(this.path)) last = line.whole ? undefined : line
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    if (last?.text === undefined || isJson(last.text) || !isOurs(last.text)) return
    const file = await open(this.path, 'r+')
    try {
      await file.truncate((await file.stat()).size - last.bytes.length)
    } finally {
      await file.close()
    }
  }

  async #make(): Promise<void> {
    await this.#look()
    const folder = dirname(this.path)
    await makeFolder(folder)
    if (this.#tidied) return
    const left = `.${basename(this.path)}.`
    for (const name of await readdir(folder)) if (name.startsWith(left)) await rm(join(folder, name))
    this.#tidied = true
  }

  /** Something that is not a regular file may never end. */
  async #look(): Promise<void> {
    const there = await stat(this.path).catch(() => undefined)
    if (there !== undefined && !there.isFile()) throw new Error(`${this.path} is not a regular file`)
  }

  /** Does nothing if another process wrote meanwhile. */
  async #rewrite(change: Change, isLast: boolean): Promise<number | undefined> {
    const target = await realpath(this.path).catch(() => this.path)
    const before = await stat(target).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (before === undefined) return 0
    const temporary = join(
      dirname(target),
      `.${basename(this.path)}.${process.pid}.${randomBytes(4).toString('hex')}`,
    )
    try {
      const file = await open(temporary, 'wx', before.mode & 0o777)
      let changed = 0
      try {
        changed = await copyLines(target, file, change)
        if (changed > 0) await file.sync()
      } finally {
        await file.close()
      }
      if (changed > 0) {
        const now = await stat(target)
        const isSame = now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs
        if (!isSame && !isLast) return undefined
        if (!isSame) throw new Error(`${this.path} is constantly written by another program`)
        await rename(temporary, target)
      }
      return changed
    } finally {
      await rm(temporary, { force: true })
    }
  }
}

async function copyLines(from: string, to: FileHandle, change: Change): Promise<number> {
  let changed = 0
  let waiting: Buffer[] = []
  let size = 0
  const flush = async () => {
    await to.appendFile(Buffer.concat(waiting))
    waiting = []
    size = 0
  }
  for await (const { bytes, text } of linesIn(from)) {
    const made = text === undefined ? undefined : change(text)
    if (made !== undefined) changed += 1
    const written = made === undefined ? bytes : made === null ? undefined : Buffer.from(`${made}\n`)
    if (written === undefined) continue
    waiting.push(written)
    size += written.length
    if (size >= AT_ONCE) await flush()
  }
  await flush()
  return changed
}

async function lastByte(file: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Yields the lines of a file byte for byte; a long one in several parts. */
async function* linesIn(path: string): AsyncGenerator<RawLine> {
  let rest: Buffer = Buffer.alloc(0)
  let isLong = false
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const bytes = joinBuffers(rest, chunk.subarray(from, end + 1))
      yield { bytes, text: isLong ? undefined : bytes.toString('utf8', 0, bytes.length - 1), whole: true }
      rest = Buffer.alloc(0)
      isLong = false
      from = end + 1
    }
    rest = joinBuffers(rest, chunk.subarray(from))
    if (rest.length <= LONGEST) continue
    yield { bytes: rest, text: undefined, whole: false }
    rest = Buffer.alloc(0)
    isLong = true
  }
  if (rest.length > 0) yield { bytes: rest, text: isLong ? undefined : rest.toString('utf8'), whole: false }
}

const joinBuffers = (one: Buffer, other: Buffer): Buffer =>
  one.length === 0 ? other : Buffer.concat([one, other])
