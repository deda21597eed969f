import { closeSync, existsSync, openSync, readSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import type { NewEvent, Result } from '@panoptes/schema'
import type { HookReader } from '../hook.ts'
import type { Intake } from '../intake.ts'
import { createLoop } from '../loop.ts'
import { watchPath } from '../watch.ts'
import { isPayload, type WaitingFile, waitingFiles } from './waiting.ts'

export interface SpoolOptions {
  readonly folder: string
  readonly intake: Intake
  readonly marks: () => Promise<Result<Readonly<Record<string, string>>>>
  readonly pollMs?: number
}

export interface SpoolHealth {
  /** Files that wait. */
  readonly backlog: number
  /** From the hook to the ledger, for the last file taken; null before the first. */
  readonly lagMs: number | null
  /** Why the spool cannot be read or emptied now. */
  readonly problem: string | null
}

/** Takes the payloads that hooks leave in a folder into the ledger, in the order they were left, each once. */
export interface Spool {
  readonly health: () => SpoolHealth
  readonly stop: () => Promise<void>
}

export const SPOOL_MARK = 'spool'

const POLL_MS = 1_000
const BATCH_FILES = 64
const BATCH_BYTES = 8_388_608
/** Of a larger file only the beginning is kept. */
const FILE_LIMIT = 16_777_216
const SMALL_FILE = 65_536
const KEPT_OF_LARGER = 16_384
const MOST_KEPT_NAMES = 2_000

export function createSpool(options: SpoolOptions): Spool {
  const { folder, intake } = options
  const readers = new Map(intake.readers.map((reader) => [reader.source, reader]))
  /** Stored already, but perhaps still in the folder: the mark that commits with the events says so after a crash. */
  let stored: Set<string> | undefined
  /** Our own removals are no news. */
  const removed = new Set<string>()
  let backlog = 0
  let lagMs: number | null = null
  let problem: string | null = null

  const scan = async () => {
    if (!existsSync(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
    stored ??= await storedBefore(options.marks)
    const files = await waitingFiles(folder, Date.now())
    backlog = files.length
    problem = null
    for (let at = 0; at < files.length && !loop.stopped(); ) {
      const batch = batchFrom(files, at)
      at += batch.length
      await take(batch, stored)
      backlog = files.length - at
    }
  }

  const take = async (batch: readonly WaitingFile[], known: Set<string>) => {
    const left = batch.filter((file) => known.has(identity(file)))
    const fresh = batch.filter((file) => !known.has(identity(file)))
    const texts = await Promise.all(fresh.map(readText))
    const read = fresh.filter((_, index) => texts[index] !== undefined)
    const unread = fresh.find((file, index) => texts[index] === undefined && existsSync(file.path))
    if (unread) problem = `Cannot read ${unread.path}`
    const events = fresh.flatMap((file, index) => eventsOf(file, texts[index]))
    for (const file of read) known.add(identity(file))
    if (read.length > 0) {
      const appended = await intake.append(events, { [SPOOL_MARK]: JSON.stringify([...known]) })
      if (!appended.ok) {
        for (const file of read) known.delete(identity(file))
        throw new Error(appended.message)
      }
      lagMs = Math.max(0, Date.now() - (read.at(-1)?.mtimeMs ?? 0))
    }
    for (const file of [...left, ...read]) remove(file, known)
  }

  const remove = (file: WaitingFile, known: Set<string>) => {
    try {
      removed.add(file.name)
      rmSync(file.path, { force: true })
      known.delete(identity(file))
    } catch (error) {
      problem = `Cannot remove ${file.path}: ${reasonOf(error)}`
      // Of more names than this nothing is remembered: they would be read again at the next start.
      for (const oldest of known) {
        if (known.size <= MOST_KEPT_NAMES) break
        known.delete(oldest)
      }
    }
  }

  const eventsOf = (file: WaitingFile, text: string | undefined): readonly NewEvent[] => {
    if (text === undefined) return []
    const reader = readers.get(file.source) ?? unknownSource(file.source)
    return intake.capture.hook(reader, text, Math.floor(file.mtimeMs), file.fromHook, file.bypass)
  }

  const loop = createLoop(scan, (error) => {
    problem = reasonOf(error)
  })
  const heard = (name?: string) => {
    if (name === undefined) removed.clear()
    else if (!isPayload(name) || removed.delete(name)) return
    loop.wake()
  }
  const unwatch = watchPath(folder, heard, options.pollMs ?? POLL_MS)
  return {
    health: () => ({ backlog, lagMs, problem }),
    stop: async () => {
      unwatch()
      await loop.stop()
    },
  }
}

/** A name may come again; the same name of the same moment is the same file. */
const identity = ({ name, mtimeMs }: WaitingFile): string => `${name}@${mtimeMs}`

async function storedBefore(read: SpoolOptions['marks']): Promise<Set<string>> {
  const marks = await read()
  if (!marks.ok) throw new Error(marks.message)
  try {
    return new Set(JSON.parse(marks.value[SPOOL_MARK] ?? '[]') as string[])
  } catch {
    return new Set()
  }
}

function batchFrom(files: readonly WaitingFile[], start: number): readonly WaitingFile[] {
  let bytes = 0
  let end = start
  while (end < files.length && end - start < BATCH_FILES && bytes < BATCH_BYTES) {
    bytes += Math.min(files[end]?.size ?? 0, FILE_LIMIT)
    end += 1
  }
  return files.slice(start, end)
}

/** What the file holds; nothing when it is gone or may not be read. */
async function readText(file: WaitingFile): Promise<string | undefined> {
  const length = file.size <= FILE_LIMIT ? file.size : KEPT_OF_LARGER
  if (length <= SMALL_FILE) return readSmall(file.path, length)
  const handle = await open(file.path, 'r').catch(() => undefined)
  if (!handle) return undefined
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return undefined
  } finally {
    await handle.close()
  }
}

/** A short read costs less here than on another thread. */
function readSmall(path: string, length: number): string | undefined {
  try {
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.allocUnsafe(length)
      return buffer.toString('utf8', 0, readSync(file, buffer, 0, length, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

const unknownSource = (source: string): HookReader => ({
  source,
  read: () => ({ problem: 'comes from a source that is not known' }),
})

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
