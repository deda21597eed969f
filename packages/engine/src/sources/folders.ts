import { createHash } from 'node:crypto'
import { closeSync, constants, type Dirent, openSync, readSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Lists a folder by name. A missing folder has no entries. */
export async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

/** Folders nest at most this deep, and a tree has at most this many files. */
const MOST_DEPTH = 8
const MOST_FILES = 20_000

/** Lists the files of a folder and of the folders in it. Links are left out. */
export async function filesBelow(folder: string, depth = MOST_DEPTH): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isFile()) found.push(path)
    else if (entry.isDirectory() && depth > 1) found.push(...(await filesBelow(path, depth - 1)))
    if (found.length > MOST_FILES) throw new Error(`${folder} has more than ${MOST_FILES} files`)
  }
  return found
}

interface Marked {
  /** Changes whenever the file may have been written. */
  readonly stamp: string
  readonly mark: string
}

const MOST_MARKS = 100_000
const marks = new Map<string, Marked>()

/**
 * Identifies the content of a file by its size, its end and samples of the rest, which are read only if the file
 * may have been written. So a restored or copied file has the mark of the original. Undefined where there is no
 * file.
 */
export async function contentMark(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return undefined
  const { dev, ino, size, mtimeMs, ctimeMs } = found
  const stamp = `${dev}.${ino}.${size}.${mtimeMs}.${ctimeMs}`
  const known = marks.get(path)
  if (known?.stamp === stamp) return known.mark
  const mark = `${size}.${found.isFile() ? sampleFile(path, size) : Math.round(mtimeMs)}`
  if (marks.size >= MOST_MARKS) marks.clear()
  marks.set(path, { stamp, mark })
  return mark
}

const END = 2_048
/** A longer file is sampled at this many places besides its end. */
const SAMPLES = 8
const SAMPLE = 256

/** Reads synchronously, because asynchronous reads would take several times as long for thousands of files. */
function sampleFile(path: string, size: number): string {
  const digest = createHash('sha1')
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const add = (buffer: Buffer, at: number) =>
        digest.update(buffer.subarray(0, readSync(file, buffer, 0, buffer.length, at)))
      const sample = Buffer.allocUnsafe(SAMPLE)
      if (size > END + SAMPLES * SAMPLE)
        for (let n = 0; n < SAMPLES; n += 1) add(sample, Math.floor(((size - END) / SAMPLES) * n))
      else add(Buffer.allocUnsafe(SAMPLES * SAMPLE), 0)
      add(Buffer.allocUnsafe(END), Math.max(0, size - END))
    } finally {
      closeSync(file)
    }
  } catch {
    // A file that cannot be read is reported when the session is read.
    return 'unreadable'
  }
  return digest.digest('base64url').slice(0, 16)
}
