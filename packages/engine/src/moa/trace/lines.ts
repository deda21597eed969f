import { open, stat } from 'node:fs/promises'

const CHUNK = 262_144
const NEW_LINE = 10

/** The lines of a file, one at a time; those longer than `longest` bytes are passed over. Nothing where it cannot be read. */
export async function* linesOf(file: string, longest: number): AsyncGenerator<Buffer, undefined> {
  // A pipe would never be opened, and a folder is none.
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
    // What has no end yet may still be written: it counts only if it is whole, which its reader sees.
    if (bytes > 0 && bytes <= longest) yield Buffer.concat(parts)
  } catch {
    // It went away meanwhile.
  } finally {
    await handle.close()
  }
}
