import { type BigIntStats, closeSync, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type NewEvent, type Result, success } from '@panoptes/schema'
import type { Captured, Store } from '../capture.ts'
import type { Intake } from '../intake.ts'
import { LINE_LIMIT, type RawLine } from '../lines.ts'
import { createLoop } from '../loop.ts'
import { watchPath } from '../watch.ts'
import { type ChunkLimits, readChunk } from './chunk.ts'
import { type Place, parsePlace, startPlace } from './file-position.ts'

export interface TailOptions {
  readonly path: string
  readonly intake: Intake
  readonly marks: (names: readonly string[]) => Promise<Result<Readonly<Record<string, string>>>>
  /** The source of lines that do not name one. */
  readonly source?: string
  /** Creates the file if it is missing, so that other programs find it. */
  readonly create?: boolean
  /** A rotated file is still read for this long, because its writers may not have reopened it yet. */
  readonly graceMs?: number
  readonly limits?: ChunkLimits
}

export interface TailHealth {
  readonly path: string
  /** The number of unread bytes. */
  readonly behind: number
  readonly problem: string | null
}

/** Follows a file that others append to. It delivers every whole line once, across restarts and rotation. */
export interface Tail {
  readonly health: () => TailHealth
  /** Runs work on the file between two reads. The bytes before the position may change meanwhile. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>
  readonly stop: () => Promise<void>
}

type Gathered = Captured & { readonly events: readonly NewEvent[] }

const GRACE_MS = 1_000
/** Nothing watches a rotated file any more, so it is read this often until its end. */
const GRACE_POLL_MS = 250
/** A line within the limit of characters is within this limit of bytes in any encoding of them. */
const LIMITS: ChunkLimits = { chunk: 262_144, line: 4 * LINE_LIMIT }

export function createTail(options: TailOptions): Tail {
  const { path, intake, limits = LIMITS, graceMs = GRACE_MS } = options
  const mark = `tail:${path}`
  let committed: Place | undefined
  let loaded = false
  let opened: OpenFile | undefined
  let replacedAt: number | undefined
  let behind = 0
  let problem: string | null = null

  const follow = async () => {
    if (!loaded) await load()
    while (!loop.stopped()) {
      opened ??= await openFile(path, committed)
      if (!opened) return
      await readOn(opened)
      const now = fileAt(path)
      if (now === undefined || now === opened.file) {
        replacedAt = undefined
        break
      }
      replacedAt ??= performance.now()
      const left = replacedAt + graceMs - performance.now()
      if (left > 0) {
        loop.wakeLater(Math.min(left, GRACE_POLL_MS))
        break
      }
      await leave(opened, now)
    }
    problem = null
  }

  const load = async () => {
    if (options.create) create(path)
    const marks = await options.marks([mark])
    if (!marks.ok) throw new Error(marks.message)
    committed = parsePlace(marks.value[mark])
    loaded = true
  }

  /** Reads the next chunk while the previous one is being stored. */
  const readOn = async ({ handle, file }: OpenFile) => {
    let place = committed?.file === file ? committed : startPlace(file)
    let storing: Promise<void> | undefined
    try {
      for (let atEnd = false; !atEnd && !loop.stopped(); ) {
        const { size } = fstatSync(handle.fd)
        const chunk = await readChunk(handle, place, size, limits)
        if (chunk === 'moved') {
          place = startPlace(file)
          continue
        }
        atEnd = chunk.atEnd
        behind = size - chunk.next.offset
        if (chunk.next === place) continue
        place = chunk.next
        const captured = await capture(chunk.lines)
        await storing
        storing = store(captured, chunk.tooLong, place)
        // The promise is awaited a little later, so its rejection must not count as unhandled until then.
        storing.catch(() => undefined)
      }
    } finally {
      await storing
    }
  }

  /** A chunk is small and commits as a whole with its position. */
  const capture = async (lines: readonly RawLine[]): Promise<Gathered> => {
    const events: NewEvent[] = []
    const gather: Store = async (slice) => {
      events.push(...slice)
      return success(null)
    }
    const captured = await intake.capture.lines(lines, gather, options.source)
    if (!captured.ok) throw new Error(captured.message)
    return { events, ...captured.value }
  }

  const store = async (
    { events, rejected, rejectedCount }: Gathered,
    tooLong: readonly number[],
    place: Place,
  ): Promise<void> => {
    const appended = await intake.append(events, { [mark]: JSON.stringify(place) })
    if (!appended.ok) throw new Error(appended.message)
    committed = place
    const last = tooLong.at(-1)
    const reason = `is longer than ${limits.line / 1024} KB`
    const longest = last === undefined ? undefined : { line: last, path: '', reason }
    if (rejectedCount + tooLong.length > 0) {
      intake.rejected(rejectedCount + tooLong.length, rejected.at(-1) ?? longest)
    }
  }

  /** The file was replaced and read to its end. A remaining partial line will not be completed. */
  const leave = async (left: OpenFile, now: string) => {
    const { handle, file } = left
    const next = startPlace(await fileAfter(left, path, now))
    const place = committed?.file === file ? committed : startPlace(file)
    if (!place.skipping) {
      const rest = await handle.read(Buffer.alloc(limits.line), 0, limits.line, place.offset)
      const text = rest.buffer.toString('utf8', 0, rest.bytesRead)
      if (text.trim() !== '') {
        await store(await capture([{ line: place.lines + 1, text }]), [], next)
      }
    }
    committed = next
    opened = undefined
    replacedAt = undefined
    await handle.close()
  }

  let turn: Promise<unknown> = Promise.resolve()
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const own = turn.then(work)
    turn = own.catch(() => undefined)
    return own
  }

  const hold = <T>(work: () => Promise<T>): Promise<T> =>
    alone(async () => {
      if (!loaded) await load()
      if (committed !== undefined) {
        const place = { ...committed, before: '' }
        const saved = await intake.append([], { [mark]: JSON.stringify(place) })
        if (!saved.ok) throw new Error(saved.message)
        committed = place
      }
      return work()
    })

  const loop = createLoop(
    () => alone(follow),
    (error) => {
      problem = error instanceof Error ? error.message : String(error)
    },
  )
  if (options.create) tryTo(() => create(path))
  const unwatch = watchPath(path, () => loop.wake())
  return {
    health: () => ({ path, behind, problem }),
    hold,
    stop: async () => {
      unwatch()
      await loop.stop()
      await opened?.handle.close()
    },
  }
}

/** Opening a pipe for writing would block until it has a reader, so only a missing file is created. */
function create(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) closeSync(openSync(path, 'a', 0o600))
  else if (!found.isFile())
    throw new Error(`${path} is not a file. Move it away; Panoptes creates a new one.`)
}

/**
 * Creating the file before the watch begins makes its first line visible. If it cannot be created, reading
 * reports why.
 */
function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    return
  }
}

interface OpenFile {
  readonly handle: FileHandle
  /** The device and inode of the file. */
  readonly file: string
}

const fileId = ({ dev, ino }: Pick<Stats | BigIntStats, 'dev' | 'ino'>): string => `${dev}:${ino}`

/** Returns the identity of the file at the path; undefined when there is none. */
function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? fileId(found) : undefined
}

/**
 * Opens the file to continue with: the one being read, even if it was rotated meanwhile, otherwise the
 * current one.
 */
async function openFile(path: string, place: Place | undefined): Promise<OpenFile | undefined> {
  const now = fileAt(path)
  if (place && now !== place.file) {
    const moved = await movedAside(path, place)
    if (moved) return openAs(moved)
  }
  return now === undefined ? undefined : openAs(path)
}

async function openAs(path: string): Promise<OpenFile | undefined> {
  const handle = await open(path, 'r').catch(absent)
  return handle && { handle, file: fileId(await handle.stat()) }
}

async function movedAside(path: string, place: Place): Promise<string | undefined> {
  return (await siblings(path)).find((each) => fileAt(each) === place.file)
}

/** Rotation appends a number or a date to the name. */
const ROTATED = /^[.-]\d[\d.:T-]*$/

/** Returns the file that follows a rotated one: the next newer rotated file, otherwise the current one. */
async function fileAfter({ handle, file }: OpenFile, path: string, now: string): Promise<string> {
  const left = await handle.stat({ bigint: true })
  const rotated = (await siblings(path))
    .filter((each) => ROTATED.test(each.slice(path.length)))
    .flatMap((each) => statSync(each, { bigint: true, throwIfNoEntry: false }) ?? [])
    .filter((each) => each.isFile() && fileId(each) !== file && fileId(each) !== now && byAge(each, left) > 0)
    .sort(byAge)
  return rotated[0] ? fileId(rotated[0]) : now
}

/** Orders files by their last write, and by creation where the clock is too coarse. */
const byAge = (a: BigIntStats, b: BigIntStats): number =>
  Number(a.mtimeNs - b.mtimeNs) || Number(a.birthtimeNs - b.birthtimeNs)

/** Rotated files keep their name and get a suffix. */
async function siblings(path: string): Promise<readonly string[]> {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name !== basename(path) && name.startsWith(basename(path)))
    .map((name) => join(folder, name))
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
    return
  throw error
}
