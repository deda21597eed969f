import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** A file's bytes, or nothing: of what is no plain file, is larger than this by now, or cannot be read. A link is not followed. */
export async function bytesOf(path: string, most: number): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const about = await file.stat()
      const { size } = about
      if (!about.isFile() || size > most) return undefined
      const bytes = Buffer.alloc(size)
      let read = 0
      while (read < size) {
        const { bytesRead } = await file.read(bytes, read, size - read, read)
        if (bytesRead === 0) break
        read += bytesRead
      }
      return bytes.subarray(0, read)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}
