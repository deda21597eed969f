import { closeSync, constants, openSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { listAgentFiles, Originals, watchProjects } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import { forgetOldest } from '../idempotency-key.ts'
import type { Intake } from '../intake.ts'
import { createLoop } from '../loop.ts'
import { RECENT_MS } from './begin.ts'
import { markOf, parseKept } from './kept.ts'
import { type FollowedSession, followSession } from './session.ts'
import { type Changed, createSweep } from './sweep.ts'

export interface TranscriptsOptions {
  /** The folder where the client stores its transcripts, with a subfolder for each project. */
  readonly folder: string
  readonly intake: Pick<Intake, 'capture' | 'append'>
  readonly store: Pick<EventStore, 'append' | 'marks' | 'read' | 'sessions' | 'forgetting'>
  readonly now?: () => number
}

export interface TranscriptsHealth {
  readonly folder: string
  /** The number of sessions that were written to within the last minutes. */
  readonly following: number
  readonly behind: number
  readonly problem: string | null
}

/** Follows the transcripts that Claude Code writes, so that Live shows sessions without hooks. */
export interface Transcripts {
  readonly health: () => TranscriptsHealth
  readonly stop: () => Promise<void>
}

const ACTIVE_MS = 600_000
const MOST_SESSIONS = 256
/**
 * After a restart, Live continues a session that it followed before if its transcript was written within this
 * time.
 */
const BEFORE_MS = 604_800_000
const ASK_AT_ONCE = 500
const TRANSCRIPT = '.jsonl'
const SINCE_MARK = 'transcripts:since'

export function createTranscripts(options: TranscriptsOptions): Transcripts {
  const { folder, intake, store } = options
  const now = options.now ?? Date.now
  const sweep = createSweep(folder)
  const originals = new Originals()
  const sessions = new Map<string, FollowedSession>()
  const dirty = new Set<string>()
  /** Sessions that Live was still following when Panoptes last ran. */
  const left = new Set<string>()
  let since: number | undefined
  let isFirst = true
  /** Something changed without a name. */
  let isUnnamed = true
  let problem: string | null = null

  const work = async (): Promise<void> => {
    since ??= await firstRead(store, now())
    if (isUnnamed) await lookAround()
    for (const path of [...dirty]) {
      if (loop.stopped()) return
      dirty.delete(path)
      if (store.forgetting.has({ source: 'claude-code', id: basename(path, TRANSCRIPT) })) {
        sessions.delete(path)
        continue
      }
      if (!sessions.has(path) && !left.delete(path) && !(await isWritten(path))) continue
      await followed(path, since).readOn()
    }
    problem = null
  }

  const lookAround = async (): Promise<void> => {
    isUnnamed = false
    const changed = await sweep.look()
    for (const { path, mtimeMs } of changed) if (now() - mtimeMs <= RECENT_MS) dirty.add(path)
    if (!isFirst) return
    isFirst = false
    for (const path of await unfinished(changed, store, now())) {
      left.add(path)
      dirty.add(path)
    }
  }

  /** Returns whether a session that is not followed yet was just written, or an agent of it. */
  const isWritten = async (path: string): Promise<boolean> => {
    const agents = await listAgentFiles(path)
    return [path, ...agents.map((agent) => agent.path)].some((file) => {
      const changed = sweep.check(file)
      return changed !== undefined && isRecent(changed)
    })
  }

  const isRecent = ({ path, mtimeMs, size }: Changed): boolean =>
    now() - mtimeMs <= RECENT_MS && now() - (readLastTime(path, size) ?? mtimeMs) <= RECENT_MS

  const heard = (changed?: string): void => {
    const [project, name] = changed?.split('/') ?? []
    if (project === undefined || name === undefined) isUnnamed = true
    else if (name.startsWith('agent-')) return
    else dirty.add(join(folder, project, name.endsWith(TRANSCRIPT) ? name : `${name}${TRANSCRIPT}`))
    loop.wake()
  }

  const followed = (path: string, from: number): FollowedSession => {
    const session = basename(path, TRANSCRIPT)
    const known =
      sessions.get(path) ?? followSession({ path, session, intake, store, since: from, now, originals })
    sessions.delete(path)
    sessions.set(path, known)
    forgetOldest(sessions, MOST_SESSIONS)
    return known
  }

  const active = () => [...sessions].filter(([, session]) => now() - session.lastRead() <= ACTIVE_MS)

  const loop = createLoop(work, (error) => {
    problem = error instanceof Error ? error.message : String(error)
  })
  const unwatch = watchProjects(folder, heard)
  loop.wake()
  return {
    health: () => ({
      folder,
      following: active().length,
      behind: [...sessions.values()].reduce((sum, session) => sum + session.behind(), 0),
      problem,
    }),
    stop: async () => {
      unwatch()
      await loop.stop()
    },
  }
}

/** Returns the time when transcripts were first read into this store. */
async function firstRead(store: TranscriptsOptions['store'], now: number): Promise<number> {
  const marks = await store.marks([SINCE_MARK])
  if (!marks.ok) throw new Error(marks.message)
  const known = Number(marks.value[SINCE_MARK])
  if (Number.isFinite(known) && known > 0) return known
  const appended = await store.append([], { [SINCE_MARK]: String(now) })
  if (!appended.ok) throw new Error(appended.message)
  return now
}

/** Returns the transcripts that were followed when Panoptes last ran and have changed since then. */
async function unfinished(
  changed: readonly Changed[],
  store: TranscriptsOptions['store'],
  now: number,
): Promise<readonly string[]> {
  const able = changed.filter(({ mtimeMs }) => now - mtimeMs > RECENT_MS && now - mtimeMs <= BEFORE_MS)
  const found: string[] = []
  for (let at = 0; at < able.length; at += ASK_AT_ONCE) {
    const some = able.slice(at, at + ASK_AT_ONCE)
    const marks = await store.marks(some.map(({ path }) => markOf(path)))
    if (!marks.ok) throw new Error(marks.message)
    for (const { path, size } of some) {
      const kept = parseKept(marks.value[markOf(path)])
      if (kept !== undefined && kept.place.offset !== size) found.push(path)
    }
  }
  return found
}

/** The client writes the time after the message of a row. If this much has no time, more is read. */
const END_BYTES = 4_096
const MOST_BYTES = 65_536
const TIMESTAMP = /(?<!\\)"timestamp":"([^"]{1,40})"/g

/**
 * Returns the time in the last rows of a transcript, because the time of the file also changes when somebody copies
 * or touches it. Undefined means that the end of the file names no time, or cannot be read.
 */
const readLastTime = (path: string, size: number): number | undefined =>
  readTime(path, size, END_BYTES) ?? (size > END_BYTES ? readTime(path, size, MOST_BYTES) : undefined)

function readTime(path: string, size: number, most: number): number | undefined {
  const bytes = Buffer.alloc(Math.min(most, size))
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length))
      const times = [...text.matchAll(TIMESTAMP)]
        .map(([, time = '']) => Date.parse(time))
        .filter((time) => Number.isFinite(time))
      return times.length === 0 ? undefined : Math.max(...times)
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}
