import { open, stat } from 'node:fs/promises'

const CHUNK = 262_144
const NEW_LINE = 10

/**
 * Yields the lines of a file one at a time and skips those longer than `longest` bytes. Yields
 * nothing if the file cannot be read.
 */
export async function* readLines(file: string, longest: number): AsyncGenerator<Buffer, undefined> {
  // Opening a pipe would block forever, and a folder cannot be read as a file.
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    let parts: Buffer[] = []
    let bytes = 0
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK)
      if (bytesRead === 0) break
      let rest = buffer.subarray(0, bytesRead)
      for (let at = rest.indexOf(NEW_LINE); at >= 0; at = rest.indexOf(NEW_LINE)) {
        bytes += at
        if (bytes > 0 && bytes <= longest) yield Buffer.concat([...parts, rest.subarray(0, at)])
        parts = []
        bytes = 0
        rest = rest.subarray(at + 1)
      }
      bytes += rest.length
      if (bytes > longest) parts = []
      else parts.push(rest)
    }
    // A last line without a newline may still be being written. The reader decides whether it is
    // whole.
    if (bytes > 0 && bytes <= longest) yield Buffer.concat(parts)
  } catch {
    // The file was deleted meanwhile.
  } finally {
    await handle.close()
  }
}
