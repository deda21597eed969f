import type { Ledger } from '@panoptes/engine/ledger'
import type { HermesState } from '@panoptes/engine/sources'
import type { Message, Session } from '@panoptes/schema'
import type { WrittenEvent } from '../capture.ts'
import type { Intake } from '../intake.ts'
import { forgetOldest } from '../key.ts'
import { knownEvents } from '../known-events.ts'
import { createLoop } from '../loop.ts'
import { type MadeCall, type StateTeller, type ToolNames, tellState } from './state.ts'
import { kinOf, markOf, parsePlace, type StatePlace } from './tracked.ts'

export interface HermesFollowing {
  readonly state: HermesState
  readonly intake: Pick<Intake, 'capture' | 'append' | 'readers'>
  readonly ledger: Pick<Ledger, 'marks' | 'read'>
  readonly now?: () => number
}

export interface HermesHealth {
  readonly files: readonly string[]
  /** Sessions that were told of and have not ended. */
  readonly following: number
  readonly problem: string | null
}

/** Follows what Hermes writes into its databases, so that Live shows its sessions without hooks. */
export interface FollowedHermes {
  readonly health: () => HermesHealth
  readonly stop: () => Promise<void>
}

/** Of what is there when a database is first met, this much counts. */
const RECENT_MS = 1_800_000
const MOST_BACK = 20_000
const MOST_OPEN = 500
const MOST_CALLS = 5_000
/** A message is stored a moment after it was said; what is older was copied from an earlier session. */
const LEEWAY_MS = 60_000

interface Met {
  readonly teller: StateTeller
  readonly startedAt: number
  isBegun: boolean
  /** When something was last said in it. */
  lastAt: number
  readonly session: Session
  readonly parent: string | null
}

export function followHermes({ state, intake, ledger, now = Date.now }: HermesFollowing): FollowedHermes {
  const places = new Map<string, StatePlace>()
  const met = new Map<string, Met>()
  const calls = new Map<string, MadeCall>()
  const tools: ToolNames = {
    note: (call, made) => {
      calls.set(call, made)
      forgetOldest(calls, MOST_CALLS)
    },
    take: (call) => {
      const known = calls.get(call)
      calls.delete(call)
      return known
    },
  }
  const known = (id: string) => intake.readers.find(({ source }) => source === 'hermes')?.kinOf?.(id)
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
    const told: WrittenEvent[] = []
    const open = new Set(place.open)
    for (const { session, message } of rows) {
      const events = await said(path, session, message, place.from)
      if (events.length > 0) open.add(session)
      told.push(...events)
    }
    for (const id of [...open]) {
      const ended = await endOf(path, id)
      if (ended === undefined) continue
      open.delete(id)
      told.push(...ended)
    }
    const next = { last, from: place.from, open: [...open].slice(-MOST_OPEN) }
    const isSame = told.length === 0 && next.open.length === place.open.length
    if (!isSame || last - place.last > MOST_BACK) {
      const appended = await intake.append(intake.capture.written(told), {
        [markOf(path)]: JSON.stringify(next),
      })
      if (!appended.ok) throw new Error(appended.message)
    }
    places.set(path, next)
    return more
  }

  /** Where it was left, or in what was said lately. */
  const begin = async (path: string): Promise<StatePlace> => {
    const marks = await ledger.marks([markOf(path)])
    if (!marks.ok) throw new Error(marks.message)
    const kept = parsePlace(marks.value[markOf(path)])
    const newest = await state.newest(path)
    const back = Math.max(0, newest - MOST_BACK)
    if (kept !== undefined && kept.last <= newest) return { ...kept, last: Math.max(kept.last, back) }
    return { last: back, from: now() - RECENT_MS, open: [] }
  }

  const said = async (
    path: string,
    id: string,
    message: Message,
    from: number,
  ): Promise<readonly WrittenEvent[]> => {
    if (message.hidden || message.state !== 'active' || (message.ts ?? 0) < from) return []
    const of = await meet(path, id)
    if (of === undefined || (message.ts ?? 0) < of.startedAt - LEEWAY_MS) return []
    const begun = of.isBegun ? [] : of.teller.begin(of.session, of.parent, message)
    of.isBegun = true
    of.lastAt = Math.max(of.lastAt, message.ts ?? 0)
    return [...begun, ...of.teller.said(message, tools)]
  }

  const meet = async (path: string, id: string): Promise<Met | undefined> => {
    const name = `${path}#${id}`
    const before = met.get(name)
    if (before !== undefined) return before
    const find = (other: string) => state.session(path, other)
    const session = await find(id)
    if (session === undefined) return undefined
    const { kin, parent } = await kinOf(session, find, known)
    intake.capture.recall(await knownEvents(ledger, { source: 'hermes', session: kin.session }))
    const fresh = {
      teller: tellState(kin),
      startedAt: session.started_at ?? 0,
      isBegun: false,
      lastAt: 0,
      session,
      parent,
    }
    met.set(name, fresh)
    forgetOldest(met, MOST_OPEN)
    return fresh
  }

  const endOf = async (path: string, id: string): Promise<readonly WrittenEvent[] | undefined> => {
    const session = await state.session(path, id)
    if (session === undefined) return []
    const of = await meet(path, id)
    // One that was taken up again may still say when it ended before.
    if (of === undefined || session.ended_at === null || session.ended_at < of.lastAt) return undefined
    return of.teller.end(session)
  }

  const loop = createLoop(work, (error) => {
    problem = error instanceof Error ? error.message : String(error)
  })
  loop.wake()
  const unwatch = state.watch(() => loop.wake())
  return {
    health: () => ({
      files,
      following: [...places.values()].reduce((sum, { open }) => sum + open.length, 0),
      problem,
    }),
    stop: async () => {
      unwatch()
      await loop.stop()
    },
  }
}
