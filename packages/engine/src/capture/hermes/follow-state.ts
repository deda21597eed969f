import type { HermesState } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Message, Session } from '@panoptes/schema'
import type { WrittenEvent } from '../capture.ts'
import { forgetOldest } from '../idempotency-key.ts'
import type { Intake } from '../intake.ts'
import { createLoop } from '../loop.ts'
import { readRecentEvents } from '../recent-events.ts'
import { type MadeCall, type StateTeller, type ToolNames, tellState } from './state.ts'
import type { Kin } from './subagent-sessions.ts'

export interface HermesFollowing {
  readonly state: HermesState
  readonly intake: Pick<Intake, 'capture' | 'append' | 'readers'>
  readonly store: Pick<EventStore, 'marks' | 'read'>
  readonly now?: () => number
  readonly lookAgainMs?: number
}

export interface HermesHealth {
  readonly files: readonly string[]
  /** The number of reported sessions that have not ended. */
  readonly following: number
  readonly problem: string | null
}

/** Follows what Hermes writes to its databases, so that Live shows its sessions without hooks. */
export interface FollowedHermes {
  readonly health: () => HermesHealth
  readonly stop: () => Promise<void>
}

/** When a database is seen for the first time, messages from before this period are not reported. */
const RECENT_MS = 1_800_000
const MOST_BACK = 20_000
const MOST_OPEN = 500
const MOST_CALLS = 5_000
/** A session that was written to within this time may continue in another process. */
const ABANDONED_AFTER_MS = 15_000
const LOOK_AGAIN_MS = 5_000
/** A session that is silent for longer was already checked. */
const GONE_QUIET_MS = 120_000
/** A message is stored shortly after it was written. An older one was copied from an earlier session. */
const LEEWAY_MS = 60_000

interface TrackedSession {
  readonly teller: StateTeller
  readonly startedAt: number
  isBegun: boolean
  /** The time of its last message. */
  lastAt: number
  readonly session: Session
  readonly parent: string | null
  /** Delegations that were reported as lost with it. */
  readonly lost: Set<string>
}

export function followHermes({
  state,
  intake,
  store,
  now = Date.now,
  lookAgainMs = LOOK_AGAIN_MS,
}: HermesFollowing): FollowedHermes {
  const places = new Map<string, StatePlace>()
  const tracked = new Map<string, TrackedSession>()
  const calls = new Map<string, MadeCall>()
  const tools: ToolNames = {
    note: (call, made) => {
      calls.set(call, made)
      forgetOldest(calls, MOST_CALLS)
    },
    take: (call) => {
      const made = calls.get(call)
      calls.delete(call)
      return made
    },
  }
  const findKin = (id: string) => intake.readers.find(({ source }) => source === 'hermes')?.findKin?.(id)
  let files: readonly string[] = []
  let problem: string | null = null

  const work = async (): Promise<void> => {
    files = await state.files()
    for (const path of files) {
      for (let more = true; more && !loop.stopped(); ) more = await readOn(path)
    }
    problem = null
  }

  const readOn = async (path: string): Promise<boolean> => {
    const place = places.get(path) ?? (await begin(path))
    const { rows, last, more } = await state.after(path, place.last)
    const written: WrittenEvent[] = []
    const open = new Set(place.open)
    for (const { session, message } of rows) {
      const events = await messageEvents(path, session, message, place.from)
      if (events.length > 0) open.add(session)
      written.push(...events)
    }
    written.push(...(await lostEvents(path, open)))
    for (const id of [...open]) {
      const ended = await endEvents(path, id)
      if (ended === undefined) continue
      open.delete(id)
      written.push(...ended)
    }
    const next = { last, from: place.from, open: [...open].slice(-MOST_OPEN) }
    const isSame = written.length === 0 && next.open.length === place.open.length
    if (!isSame || last - place.last > MOST_BACK) {
      const appended = await intake.append(intake.capture.written(written), {
        [positionMark(path)]: JSON.stringify(next),
      })
      if (!appended.ok) throw new Error(appended.message)
    }
    places.set(path, next)
    return more
  }

  /** Starts at the saved position, or at the recent messages. */
  const begin = async (path: string): Promise<StatePlace> => {
    const marks = await store.marks([positionMark(path)])
    if (!marks.ok) throw new Error(marks.message)
    const stored = parsePlace(marks.value[positionMark(path)])
    const newest = await state.newest(path)
    const back = Math.max(0, newest - MOST_BACK)
    if (stored !== undefined && stored.last <= newest) return { ...stored, last: Math.max(stored.last, back) }
    return { last: back, from: now() - RECENT_MS, open: [] }
  }

  const messageEvents = async (
    path: string,
    id: string,
    message: Message,
    from: number,
  ): Promise<readonly WrittenEvent[]> => {
    if (message.hidden) tracked.get(`${path}#${id}`)?.teller.hearNotice(message)
    if (message.hidden || message.state !== 'active' || (message.ts ?? 0) < from) return []
    const of = await meet(path, id)
    if (of === undefined || (message.ts ?? 0) < of.startedAt - LEEWAY_MS) return []
    const begun = of.isBegun ? [] : of.teller.begin(of.session, of.parent, message)
    of.isBegun = true
    of.lastAt = Math.max(of.lastAt, message.ts ?? 0)
    return [...begun, ...of.teller.readMessage(message, tools)]
  }

  const meet = async (path: string, id: string): Promise<TrackedSession | undefined> => {
    const name = `${path}#${id}`
    const before = tracked.get(name)
    if (before !== undefined) return before
    const find = (other: string) => state.session(path, other)
    const session = await find(id)
    if (session === undefined) return undefined
    const { kin, parent } = await resolveKin(session, find, findKin)
    intake.capture.recall(await readRecentEvents(store, { source: 'hermes', session: kin.session }))
    const fresh = {
      teller: tellState(kin),
      startedAt: session.started_at ?? 0,
      isBegun: false,
      lastAt: 0,
      session,
      parent,
      lost: new Set<string>(),
    }
    tracked.set(name, fresh)
    forgetOldest(tracked, MOST_OPEN)
    return fresh
  }

  const endEvents = async (path: string, id: string): Promise<readonly WrittenEvent[] | undefined> => {
    const session = await state.session(path, id)
    if (session === undefined) return []
    const of = await meet(path, id)
    // A resumed session may still have the end time of its earlier run.
    if (of === undefined || session.ended_at === null || session.ended_at < of.lastAt) return undefined
    return of.teller.end(session)
  }

  /**
   * Reports delegates of a dead Hermes process, and the session that started them: nobody writes their end.
   */
  const lostEvents = async (path: string, open: Set<string>): Promise<readonly WrittenEvent[]> => {
    const written: WrittenEvent[] = []
    const abandoned = open.size === 0 ? [] : await state.abandoned(path)
    for (const { id: delegation, session } of abandoned) {
      for (const id of [...open]) {
        const found = await state.session(path, id)
        const isDelegate = found?.lineage === 'delegate' && found.parent_id === session
        if (found === undefined || !(isDelegate || id === session)) continue
        const of = await meet(path, id)
        if (of === undefined) continue
        if (of.lost.has(delegation) || now() - of.lastAt < ABANDONED_AFTER_MS) continue
        of.lost.add(delegation)
        written.push(...of.teller.lost(delegation, now()))
      }
    }
    return written
  }

  const loop = createLoop(work, (error) => {
    problem = error instanceof Error ? error.message : String(error)
  })
  loop.wake()
  const unwatch = state.watch(() => loop.wake())
  // A dying process writes nothing, so a timer has to check for it.
  const looking = setInterval(() => {
    if ([...tracked.values()].some(({ lastAt }) => now() - lastAt < GONE_QUIET_MS)) loop.wake()
  }, lookAgainMs).unref()
  return {
    health: () => ({
      files,
      following: [...places.values()].reduce((sum, { open }) => sum + open.length, 0),
      problem,
    }),
    stop: async () => {
      unwatch()
      clearInterval(looking)
      await loop.stop()
    },
  }
}

/** The position in a database and its open sessions. It commits with the events. */
interface StatePlace {
  /** The last message that was reported. */
  readonly last: number
  /** The time from which messages count, for those that existed when the database was first seen. */
  readonly from: number
  /** Reported sessions that have not ended. */
  readonly open: readonly string[]
}

const positionMark = (path: string): string => `state-db:${path}`

function parsePlace(text: string | undefined): StatePlace | undefined {
  if (text === undefined) return undefined
  try {
    const { last, from, open } = JSON.parse(text) as Record<string, unknown>
    if (!Number.isSafeInteger(last) || typeof from !== 'number' || !Array.isArray(open)) return undefined
    return { last: Number(last), from, open: open.filter((id) => typeof id === 'string') }
  } catch {
    return undefined
  }
}

const DEEPEST = 16

/** Resolves the session and agent of a row: a sub-agent's work belongs to the session that a person sees. */
async function resolveKin(
  session: Session,
  find: (id: string) => Promise<Session | undefined>,
  findKin: (id: string) => Kin | undefined,
): Promise<{ readonly kin: Kin; readonly parent: string | null }> {
  if (session.lineage !== 'delegate' || session.parent_id === null)
    return { kin: findKin(session.id) ?? { session: session.id, agent: 'main' }, parent: null }
  let above = session.parent_id
  let root = above
  for (let level = 0; level < DEEPEST; level += 1) {
    const found = await find(root)
    if (found?.lineage !== 'delegate' || found.parent_id === null) break
    root = found.parent_id
  }
  const parentKin = findKin(above)
  if (parentKin !== undefined) above = parentKin.agent
  const own = findKin(session.id) ?? { session: parentKin?.session ?? root, agent: session.id }
  return { kin: own, parent: above === root ? 'main' : above }
}
