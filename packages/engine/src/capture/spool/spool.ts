import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bypass } from '@panoptes/engine/markers'
import { lastHeardKey, type NewEvent, type Result } from '@panoptes/schema'
import type { HookReader } from '../hook.ts'
import type { Intake } from '../intake.ts'
import { createLoop, RETRY_MS } from '../loop.ts'
import { watchPath } from '../watch.ts'

export interface SpoolOptions {
  readonly folder: string
  readonly intake: Intake
  readonly marks: () => Promise<Result<Readonly<Record<string, string>>>>
}

export interface SpoolHealth {
  /** The number of waiting files. */
  readonly backlog: number
  /** The time from the hook to the store for the last file; null before the first. */
  readonly lagMs: number | null
  /** Tells why the spool cannot be read or emptied at present. */
  readonly problem: string | null
}

/** Moves the payloads that hooks leave in a folder into the store, in order, each once. */
export interface Spool {
  readonly health: () => SpoolHealth
  readonly stop: () => Promise<void>
}

export const SPOOL_MARK = 'spool'

const BATCH_FILES = 64
const BATCH_BYTES = 8_388_608
/** Only the beginning of a larger file is stored. */
const FILE_LIMIT = 16_777_216
const SMALL_FILE = 65_536
const LARGE_FILE_READ = 16_384
const MAX_STORED_NAMES = 2_000

/** One payload that waits in the spool. */
interface WaitingFile {
  readonly name: string
  readonly path: string
  readonly source: string
  /** This is true when another session's hook started its session. */
  readonly fromHook: boolean
  /** Tells what the agent's environment excludes from recording. */
  readonly bypass: Bypass
  readonly mtimeMs: number
  readonly size: number
}

const AT_ONCE = 64
/** A killed hook leaves a partial file behind. After this time nobody writes to it any more. */
const LEFT_BEHIND_MS = 600_000

export function createSpool(options: SpoolOptions): Spool {
  const { folder, intake } = options
  const readers = new Map(intake.readers.map((reader) => [reader.source, reader]))
  /**
   * Files that are stored but possibly not deleted yet. The mark that commits with the events restores this
   * after a crash.
   */
  let stored: Set<string> | undefined
  /** The watcher also reports deletions by the spool itself; these are ignored. */
  const removed = new Set<string>()
  let backlog = 0
  let lagMs: number | null = null
  let problem: string | null = null

  const scan = async () => {
    // A deleted home is not created again here, because that would prevent restoring it from a backup.
    if (!existsSync(folder)) await mkdir(folder, { mode: 0o700 })
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
    // Nothing reports that a file has become readable or removable.
    if (problem !== null) loop.wakeLater(RETRY_MS)
  }

  const take = async (batch: readonly WaitingFile[], storedNames: Set<string>) => {
    const left = batch.filter((file) => storedNames.has(identity(file)))
    const fresh = batch.filter((file) => !storedNames.has(identity(file)))
    const texts = await Promise.all(fresh.map(readText))
    const read = fresh.filter((_, index) => texts[index] !== undefined)
    const unread = fresh.find((file, index) => texts[index] === undefined && existsSync(file.path))
    if (unread) problem = `Cannot read ${unread.path}`
    const events = fresh.flatMap((file, index) => toEvents(file, texts[index]))
    for (const file of read) storedNames.add(identity(file))
    if (read.length > 0) {
      const marks = { ...heardIn(read), [SPOOL_MARK]: JSON.stringify([...storedNames]) }
      const appended = await intake.append(events, marks)
      if (!appended.ok) {
        for (const file of read) storedNames.delete(identity(file))
        throw new Error(appended.message)
      }
      lagMs = Math.max(0, Date.now() - (read.at(-1)?.mtimeMs ?? 0))
    }
    for (const file of [...left, ...read]) remove(file, storedNames)
  }

  const remove = (file: WaitingFile, storedNames: Set<string>) => {
    try {
      removed.add(file.name)
      rmSync(file.path, { force: true })
      storedNames.delete(identity(file))
    } catch (error) {
      problem = `Cannot remove ${file.path}: ${errorReason(error)}`
      // The spool remembers only this many names. It would read older files again at the next start.
      for (const oldest of storedNames) {
        if (storedNames.size <= MAX_STORED_NAMES) break
        storedNames.delete(oldest)
      }
    }
  }

  const toEvents = (file: WaitingFile, text: string | undefined): readonly NewEvent[] => {
    if (text === undefined) return []
    const reader = readers.get(file.source) ?? unknownSource(file.source)
    return intake.capture.hook(reader, text, Math.floor(file.mtimeMs), file.fromHook, file.bypass)
  }

  const loop = createLoop(scan, (error) => {
    problem = errorReason(error)
  })
  const heard = (name?: string) => {
    if (name === undefined) removed.clear()
    else if (!isPayload(name) || removed.delete(name)) return
    loop.wake()
  }
  const unwatch = watchPath(folder, heard)
  return {
    health: () => ({ backlog, lagMs, problem }),
    stop: async () => {
      unwatch()
      await loop.stop()
    },
  }
}

/** Returns when each agent's hooks last sent something. */
const heardIn = (files: readonly WaitingFile[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    files.map(({ source, mtimeMs }) => [lastHeardKey(source, 'spool'), `${Math.ceil(mtimeMs)}`]),
  )

/** A name may be reused; the same name with the same time is the same file. */
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

/** Reads a file. Returns undefined when it is gone or unreadable. */
async function readText(file: WaitingFile): Promise<string | undefined> {
  const length = file.size <= FILE_LIMIT ? file.size : LARGE_FILE_READ
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

/** A short synchronous read costs less than one on the thread pool. */
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
  read: () => ({ problem: 'comes from an unknown source' }),
})

const errorReason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns true when a change of this name can mean a new payload. */
const isPayload = (name: string): boolean => !name.startsWith('.') && name.endsWith('.json')

const NAME =
  /^(\.?)([a-z0-9][a-z0-9._-]*)\.(\d+)\.(\d+)(\.from-hook)?(\.no-claims)?(\.no-skills)?\.(json|part)$/

/** Lists the waiting payloads, oldest first. Names break ties where the clock is too coarse. */
export async function waitingFiles(folder: string, now: number): Promise<readonly WaitingFile[]> {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  // Usually there is one file, and a few short synchronous calls cost less than tasks for the thread pool.
  if (names.length <= AT_ONCE) {
    const stats = names.map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }))
    return names.flatMap((name, index) => toWaitingFile(folder, name, now, stats[index])).sort(inOrder)
  }
  const found: WaitingFile[] = []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const some = names.slice(at, at + AT_ONCE)
    const stats = await Promise.all(some.map((name) => lstat(join(folder, name)).catch(() => undefined)))
    found.push(...some.flatMap((name, index) => toWaitingFile(folder, name, now, stats[index])))
  }
  return found.sort(inOrder)
}

function toWaitingFile(
  folder: string,
  name: string,
  now: number,
  stats: Stats | undefined,
): readonly WaitingFile[] {
  if (!stats?.isFile()) return []
  if (name.startsWith('.') && now - stats.mtimeMs < LEFT_BEHIND_MS) return []
  const { mtimeMs, size } = stats
  const [, , source = '', , , mark, noClaims, noSkills] = NAME.exec(name) ?? []
  const bypass = { claims: noClaims !== undefined, skills: noSkills !== undefined }
  return [{ name, path: join(folder, name), source, fromHook: mark !== undefined, bypass, mtimeMs, size }]
}

function inOrder(a: WaitingFile, b: WaitingFile): number {
  if (a.mtimeMs !== b.mtimeMs) return a.mtimeMs - b.mtimeMs
  const [, , , processA, countA] = NAME.exec(a.name) ?? []
  const [, , , processB, countB] = NAME.exec(b.name) ?? []
  return Number(processA) - Number(processB) || Number(countA) - Number(countB) || (a.name < b.name ? -1 : 1)
}
