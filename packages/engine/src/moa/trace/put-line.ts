import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { formerTrace } from './trace-paths.ts'

const NEW_LINE = 10

/**
 * Appends a line to a file in a single write, so that other processes may append to it too. If the
 * file would exceed its limit, it first replaces the previous file.
 */
export async function putLine(file: string, line: string, maxBytes: number): Promise<void> {
  const bytes = Buffer.from(line)
  let handle = await opened(file)
  try {
    const { size, ino } = await handle.stat()
    if (size > 0 && size + bytes.length > maxBytes) {
      await handle.close()
      await putAside(file, ino)
      handle = await opened(file)
    }
    await append(handle, bytes)
  } finally {
    await handle.close()
  }
}

/** The folder may be missing, or may have been deleted meanwhile. */
async function opened(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'a+', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    return open(file, 'a+', 0o600)
  }
}

/** Does nothing if another process has just rotated the file. */
async function putAside(file: string, ino: number): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found?.ino === ino) await rename(file, formerTrace(file))
}

async function append(handle: FileHandle, line: Buffer): Promise<void> {
  const { size } = await handle.stat()
  // A full disk may leave half a line, which must not corrupt the next one.
  const isWhole = size === 0 || (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] === NEW_LINE
  const bytes = isWhole ? line : Buffer.concat([Buffer.from('\n'), line])
  const { bytesWritten } = await handle.write(bytes)
  if (bytesWritten === bytes.length) return
  const after = await handle.stat()
  if (after.size === size + bytesWritten) await handle.truncate(size)
  throw new Error('There was no room for a whole line.')
}
