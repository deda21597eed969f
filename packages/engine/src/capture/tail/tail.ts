import { closeSync, fstatSync, openSync } from 'node:fs'
import { type NewEvent, type Result, success } from '@panoptes/schema'
import type { Captured, Store } from '../capture.ts'
import type { Intake } from '../intake.ts'
import { LINE_LIMIT, type RawLine } from '../lines.ts'
import { createLoop } from '../loop.ts'
import { watchPath } from '../watch.ts'
import { type ChunkLimits, readChunk } from './chunk.ts'
import { fileAfter, fileAt, type OpenFile, openFile } from './open-file.ts'
import { type Place, parsePlace, startOf } from './place.ts'

export interface TailOptions {
  readonly path: string
  readonly intake: Intake
  readonly marks: (names: readonly string[]) => Promise<Result<Readonly<Record<string, string>>>>
  /** What lines are of that do not say it. */
  readonly source?: string
  /** Make the file if it is not there, so that others find it. */
  readonly create?: boolean
  readonly pollMs?: number
  /** How long a file that was moved aside is still read: its writers may not know yet. */
  readonly graceMs?: number
  readonly limits?: ChunkLimits
}

export interface TailHealth {
  readonly path: string
  /** Bytes that wait. */
  readonly behind: number
  readonly problem: string | null
}

/** Follows a file that others append lines to: every whole line once, over restarts and rotation. */
export interface Tail {
  readonly health: () => TailHealth
  /** Has something done to the file between two looks at it; what stood before its place may be another then. */
  readonly hold: <T>(work: () => Promise<T>) => Promise<T>
  readonly stop: () => Promise<void>
}

type Gathered = Captured & { readonly events: readonly NewEvent[] }

const POLL_MS = 1_000
const GRACE_MS = 1_000
/** A line that is short enough in characters is short enough in bytes, however they are written. */
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
      if (performance.now() - replacedAt < graceMs) break
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

  /** The next chunk is read while the last one is being stored. */
  const readOn = async ({ handle, file }: OpenFile) => {
    let place = committed?.file === file ? committed : startOf(file)
    let storing: Promise<void> | undefined
    try {
      for (let atEnd = false; !atEnd && !loop.stopped(); ) {
        const { size } = fstatSync(handle.fd)
        const chunk = await readChunk(handle, place, size, limits)
        if (chunk === 'moved') {
          place = startOf(file)
          continue
        }
        atEnd = chunk.atEnd
        behind = size - chunk.next.offset
        if (chunk.next === place) continue
        place = chunk.next
        const captured = await capture(chunk.lines)
        await storing
        storing = store(captured, chunk.tooLong, place)
        // It is awaited a little later; until then its failure is nobody's.
        storing.catch(() => undefined)
      }
    } finally {
      await storing
    }
  }

  /** A chunk is small, and commits as a whole with its place. */
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

  /** The file was replaced and has been read to its end. What is left without a line end will not get one. */
  const leave = async (left: OpenFile, now: string) => {
    const { handle, file } = left
    const next = startOf(await fileAfter(left, path, now))
    const place = committed?.file === file ? committed : startOf(file)
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
        const told = await intake.append([], { [mark]: JSON.stringify(place) })
        if (!told.ok) throw new Error(told.message)
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
  const unwatch = watchPath(path, () => loop.wake(), options.pollMs ?? POLL_MS)
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

const create = (path: string): void => closeSync(openSync(path, 'a', 0o600))

/** A file that is there when the watch begins is watched from the first line on; if it cannot be made, loading it says why. */
function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    return
  }
}
