import { type FileHandle, lstat, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { TraceStore } from './port.ts'
import {
  findTurnSession,
  LONGEST_LINE,
  listTracedSessions,
  parseRecord,
  readLines,
  readTraces,
  traceFiles,
} from './read.ts'
import { formerTrace, traceName } from './trace-paths.ts'

export interface FilesOptions {
  readonly folder: string
  /**
   * The size limit of a session's trace file. The same amount of older lines is kept in a second
   * file.
   */
  readonly maxBytes: number
  /** The size limit of all trace files together; the oldest are deleted first. */
  readonly maxFolderBytes?: number | undefined
}

const NEW_LINE = 10

/** Trace storage with one file per session in a folder. */
export function createFileTraces(options: FilesOptions): TraceStore & { readonly folder: string } {
  const { folder, maxBytes, maxFolderBytes = Number.POSITIVE_INFINITY } = options
  const cap = createFolderCap(folder, maxFolderBytes)
  return {
    folder,
    put: async ({ session, json }) => {
      const file = join(folder, traceName(session))
      const line = `${json}\n`
      await putLine(file, line, maxBytes)
      // The line is stored even if older files cannot be deleted.
      return cap.recordWrite(file, Buffer.byteLength(line)).then(
        () => null,
        (error: Error) => error.message,
      )
    },
    removed: cap.removed,
    read: async (wish) => success(await readTraces({ folder, ...wish })),
    sessions: async (begin) => success(await listTracedSessions(folder, begin)),
    findSession: async (turn) => success((await findTurnSession(folder, turn)) ?? null),
    forget: (sessions) => forgetTraces(folder, sessions),
    bytes: async () => success(await sumTraceBytes(folder)),
  }
}

/**
 * Deletes the traces of these sessions and returns how many lines that were. Lines of other
 * sessions in the same file stay.
 */
export async function forgetTraces(folder: string, sessions: readonly string[]): Promise<Result<number>> {
  let removed = 0
  for (const session of sessions)
    for (const file of traceFiles(folder, session)) {
      const found = await stat(file).catch(() => undefined)
      if (!found?.isFile()) continue
      const others: string[] = []
      let own = 0
      for await (const line of readLines(file, LONGEST_LINE)) {
        const { session_id: of = session } = parseRecord(line) ?? {}
        if (of === session) own += 1
        else others.push(`${line.toString('utf8')}\n`)
      }
      try {
        if (others.length === 0) await rm(file, { force: true })
        else if (own > 0) await replaceFile(file, others.join(''))
      } catch (error) {
        return fileFailure(error, file, 'write')
      }
      removed += own
    }
  return success(removed)
}

interface FolderCap {
  /** Reports that a line was just added to this file. */
  readonly recordWrite: (file: string, bytes: number) => Promise<void>
  /** Number of files deleted since the start. */
  readonly removed: () => number
}

/**
 * The folder is reduced to this share of its limit, so that the next line does not trigger another
 * cleanup.
 */
const ENOUGH = 0.9
/** If nothing more can be deleted, this share of the limit is written before the next attempt. */
const AGAIN = 0.05

/**
 * Keeps a folder of traces within a size limit. The files that were written to longest ago are
 * deleted first, but never the current one.
 */
function createFolderCap(folder: string, maxBytes: number): FolderCap {
  let totalBytes: number | undefined
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
    totalBytes = total
    look = Math.max(maxBytes, total + maxBytes * AGAIN)
  }
  return {
    recordWrite: async (file, bytes) => {
      totalBytes = totalBytes === undefined ? await sumTraceBytes(folder) : totalBytes + bytes
      if (totalBytes > look) await trim(file)
    },
    removed: () => removed,
  }
}

interface TraceFile {
  readonly file: string
  readonly bytes: number
  readonly at: number
}

async function* listFiles(folder: string): AsyncGenerator<TraceFile, undefined> {
  const entries = await opendir(folder).catch(() => undefined)
  if (entries === undefined) return
  for await (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue
    const file = join(folder, entry.name)
    const found = await lstat(file).catch(() => undefined)
    if (found?.isFile()) yield { file, bytes: found.size, at: found.mtimeMs }
  }
}

/** The size of all trace files in a folder, in bytes. */
export async function sumTraceBytes(folder: string): Promise<number> {
  let total = 0
  for await (const { bytes } of listFiles(folder)) total += bytes
  return total
}

/**
 * Lists the trace files that Panoptes wrote, oldest first. The folder may also contain files of the
 * user.
 */
async function ownFiles(folder: string): Promise<readonly TraceFile[]> {
  const files: TraceFile[] = []
  for await (const found of listFiles(folder)) if (await isOwn(found)) files.push(found)
  return files.sort((a, b) => a.at - b.at || (a.file < b.file ? -1 : 1))
}

const TAIL = 512
/** Every line that Panoptes writes ends like this, and no line of Hermes does. */
const OWN = /"turn_id":"[^"]*","iteration":\d+,"status":"[a-z]+"\}\s*$/

async function isOwn({ file, bytes }: TraceFile): Promise<boolean> {
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

/**
 * Appends a line to a file in a single write, so that other processes may append to it too. If the
 * file would exceed its limit, it first replaces the previous file.
 */
async function putLine(file: string, line: string, maxBytes: number): Promise<void> {
  const bytes = Buffer.from(line)
  let handle = await openTrace(file)
  try {
    const { size, ino } = await handle.stat()
    if (size > 0 && size + bytes.length > maxBytes) {
      await handle.close()
      await moveAside(file, ino)
      handle = await openTrace(file)
    }
    await append(handle, bytes)
  } finally {
    await handle.close()
  }
}

/** The folder may be missing, or may have been deleted meanwhile. */
async function openTrace(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'a+', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    return open(file, 'a+', 0o600)
  }
}

/** Does nothing if another process has just rotated the file. */
async function moveAside(file: string, ino: number): Promise<void> {
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
  throw new Error('There was no room for a complete line.')
}
