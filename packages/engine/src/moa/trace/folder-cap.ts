import { lstat, open, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderCap {
  /** A line was just added to this file. */
  readonly wrote: (file: string, bytes: number) => Promise<void>
  /** Files that were taken away since the start. */
  readonly removed: () => number
}

/** Down to this part of what may be there: the next line should not need the same again. */
const ENOUGH = 0.9
/** Where nothing more can be taken away, this part of it is written before that is looked for again. */
const AGAIN = 0.05

/** Keeps a folder of traces within so many bytes: the files that were written to longest ago go first, never the one that is written to. */
export function folderCap(folder: string, maxBytes: number): FolderCap {
  let known: number | undefined
  let look = maxBytes
  let removed = 0
  const trim = async (written: string): Promise<void> => {
    const files = await ownFiles(folder)
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    if (total > maxBytes)
      for (const { file, bytes } of files) {
        if (total <= maxBytes * ENOUGH) break
        if (file === written) continue
        await rm(file, { force: true })
        total -= bytes
        removed += 1
      }
    known = total
    look = Math.max(maxBytes, total + maxBytes * AGAIN)
  }
  return {
    wrote: async (file, bytes) => {
      known = known === undefined ? await tracedBytes(folder) : known + bytes
      if (known > look) await trim(file)
    },
    removed: () => removed,
  }
}

interface Found {
  readonly file: string
  readonly bytes: number
  readonly at: number
}

async function* filesIn(folder: string): AsyncGenerator<Found, undefined> {
  const entries = await opendir(folder).catch(() => undefined)
  if (entries === undefined) return
  for await (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue
    const file = join(folder, entry.name)
    const found = await lstat(file).catch(() => undefined)
    if (found?.isFile()) yield { file, bytes: found.size, at: found.mtimeMs }
  }
}

/** The bytes of all files of traces in a folder. */
export async function tracedBytes(folder: string): Promise<number> {
  let total = 0
  for await (const { bytes } of filesIn(folder)) total += bytes
  return total
}

/** Those that were written here, the oldest first. The folder may be one of somebody's own. */
async function ownFiles(folder: string): Promise<readonly Found[]> {
  const files: Found[] = []
  for await (const found of filesIn(folder)) if (await isOwn(found)) files.push(found)
  return files.sort((a, b) => a.at - b.at || (a.file < b.file ? -1 : 1))
}

const TAIL = 512
/** So every line ends that is written here, and none of Hermes. */
const OWN = /"turn_id":"[^"]*","iteration":\d+,"status":"[a-z]+"\}\s*$/

async function isOwn({ file, bytes }: Found): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined)
  if (handle === undefined) return false
  try {
    const read = await handle.read(Buffer.alloc(TAIL), 0, TAIL, Math.max(0, bytes - TAIL))
    return OWN.test(read.buffer.toString('latin1', 0, read.bytesRead))
  } catch {
    return false
  } finally {
    await handle.close()
  }
}
