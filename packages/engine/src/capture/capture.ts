import { setImmediate } from 'node:timers/promises'
import type { Ledger } from '@panoptes/engine/ledger'
import { redactEvent } from '@panoptes/engine/redact'
import type { Bypass } from '@panoptes/engine/stated'
import {
  EVENT_VERSION,
  type NewEvent,
  type RejectedLine,
  type Result,
  type StoredEvent,
  success,
} from '@panoptes/schema'
import { createBypassed, NO_BYPASS } from './bypassed.ts'
import { type CheckedLine, checkLine } from './check.ts'
import { createDeliveries } from './deliveries.ts'
import { fitted } from './fit.ts'
import { type HookEvent, type HookReader, type KeyedEvent, readHookText } from './hook.ts'
import { bounded, createKeyMaker } from './key.ts'
import { lengthOf, linesOf, type RawLine } from './lines.ts'
import { cutPreviews } from './preview.ts'
import { createSessionFinder, type SessionOf } from './sessions.ts'
import { createSightings, sideOf } from './sightings.ts'

export interface CaptureOptions {
  /** The name of this machine, for events that do not say where they happened. */
  readonly host: string
  readonly findAgents: Ledger['findAgents']
  /** The newest events of hooks and transcripts, newest first: what is told again after a restart is known by them. */
  readonly known?: readonly StoredEvent[]
  /** What the daemon's own environment says not to record. */
  readonly bypass?: Bypass
  readonly now?: () => number
}

/** What was no event. */
export interface Captured {
  /** At most a thousand, then one that counts the others. */
  readonly rejected: readonly RejectedLine[]
  readonly rejectedCount: number
}

/** Where events go, a slice of the body at a time and in the order of its lines; its failure ends the capture. */
export type Store = (events: readonly NewEvent[]) => Promise<Result<unknown>>

/** Makes events of what comes in. It remembers a bounded number of recent lines and agents: make one per process. */
export interface Capture {
  /** NDJSON, one JSON array or one JSON object; a bad line never costs a good one. */
  readonly normalise: (body: Buffer, store: Store) => Promise<Result<Captured>>
  /** Lines of a file, each for itself; those that do not say their source are of this one. */
  readonly lines: (lines: Iterable<RawLine>, store: Store, source?: string) => Promise<Result<Captured>>
  /**
   * One payload of a hook, as text, with the moment it arrived, and whether another session's hook started the one it tells
   * of; `bypass` is what its agent's environment says not to record. What cannot be understood is kept as it came.
   */
  readonly hook: (
    reader: HookReader,
    text: string,
    arrived: number,
    fromHook?: boolean,
    bypass?: Bypass,
  ) => readonly NewEvent[]
  /** What a reader found out by itself. */
  readonly found: (events: readonly KeyedEvent[]) => readonly NewEvent[]
  /** What an agent wrote down, with the moment each thing happened; what its hooks told as well has the same key. */
  readonly written: (events: readonly WrittenEvent[]) => readonly NewEvent[]
  /** What is stored already of a session that is about to be read, in any order. */
  readonly recall: (events: readonly StoredEvent[]) => void
}

/** An event by what an agent wrote down: it always says when. */
export type WrittenEvent = KeyedEvent & { readonly ts: number }

/** A slice ends at whichever comes first: a long body must not stand in memory as events as well. */
const SLICE_LINES = 2_000
const SLICE_LENGTH = 1_048_576
const MOST_REJECTED = 1_000
/** How long to keep other work waiting. */
const TURN_MS = 8

type Envelope = Pick<NewEvent, 'key' | 'ts' | 'source' | 'session_id'>

export function createCapture(options: CaptureOptions): Capture {
  const now = options.now ?? Date.now
  const makeKey = createKeyMaker()
  const deliveries = createDeliveries(options.known?.map(({ key }) => key))
  const sightings = createSightings()
  const bypassed = createBypassed(options.bypass ?? NO_BYPASS)
  const sessions = createSessionFinder(options.findAgents)

  const eventOf = (
    line: CheckedLine,
    arrived: number,
    sessionOf: SessionOf,
    otherwise = 'custom',
  ): NewEvent => {
    const { source } = line.fields
    const origin = typeof source === 'string' ? source : otherwise
    const key = makeKey(line, origin, arrived)
    return complete(line.fields, { key, ts: line.ts ?? arrived, source: origin, session_id: sessionOf(line) })
  }

  const complete = (fields: CheckedLine['fields'], envelope: Envelope): NewEvent => {
    const {
      v: _v,
      key: _key,
      ts: _ts,
      seq: _seq,
      event,
      source: _source,
      host,
      session_id: _id,
      ...rest
    } = fields
    const { key, ts, source, session_id } = envelope
    const where = typeof host === 'string' ? host : options.host
    return redactEvent({ v: EVENT_VERSION, key, ts, event, source, host: where, session_id, ...rest }).event
  }

  const hookEvent = (told: KeyedEvent, ts: number): NewEvent =>
    cutPreviews(
      complete(told, { key: bounded(told.key), ts, source: told.source, session_id: told.session_id }),
    )

  const hook: Capture['hook'] = (reader, text, arrived, fromHook = false, bypass = NO_BYPASS) => {
    const read = readHookText(reader, text, arrived)
    const told = deliveries.keyed({ source: reader.source, text, arrived, told: read })
    return [...told, ...bypassed.note(told, bypass)].flatMap((each) => {
      if (bypassed.isLeftOut(each)) return []
      const ts = momentOf(each, arrived)
      const key = sightings.keyOf('hook', each, ts, each.key)
      return hookEvent({ ...each, key, ...(fromHook ? { from_hook: true } : {}) }, ts)
    })
  }

  const written: Capture['written'] = (events) =>
    events.flatMap((told) => {
      const fit = fitted(told)
      if (!('event' in fit) || bypassed.isLeftOut(told)) return []
      const ts = Math.min(told.ts, now())
      const key = sightings.keyOf('transcript', told, ts, bounded(told.key))
      return [hookEvent({ ...fit, key, via: 'transcript' }, ts)]
    })

  const recall: Capture['recall'] = (events) => {
    for (const event of events.toSorted((a, b) => a.ts - b.ts)) {
      bypassed.recall(event)
      sightings.keyOf(sideOf(event), event, event.ts, event.key)
    }
  }
  recall(options.known ?? [])

  /** Passes events on a slice at a time; `source` is for lines that do not say theirs. */
  const pass = async (raws: Iterable<RawLine>, store: Store, source?: string): Promise<Result<Captured>> => {
    const arrived = now()
    const breathe = createBreather()
    const rejected = createRejections()
    const passSlice = async (lines: readonly CheckedLine[]): Promise<Result<unknown>> => {
      const sessionOf = await sessions.prepare(lines)
      if (!sessionOf.ok) return sessionOf
      const events: NewEvent[] = []
      for (const line of lines) {
        events.push(eventOf(line, arrived, sessionOf.value, source))
        if (breathe.isDue()) await breathe.pause()
      }
      return store(events)
    }
    let slice: CheckedLine[] = []
    let length = 0
    for (const raw of raws) {
      const checked = checkLine(raw)
      if ('reason' in checked) rejected.add({ line: raw.line, ...checked })
      else slice.push(checked)
      length += lengthOf(raw)
      if (slice.length >= SLICE_LINES || length >= SLICE_LENGTH) {
        const passed = await passSlice(slice)
        if (!passed.ok) return passed
        slice = []
        length = 0
      }
      if (breathe.isDue()) await breathe.pause()
    }
    const passed = await passSlice(slice)
    if (!passed.ok) return passed
    return success({ rejected: rejected.list(), rejectedCount: rejected.count() })
  }

  return {
    normalise: (body, store) => pass(linesOf(body), store),
    lines: pass,
    hook,
    found: (events) => events.map((each) => hookEvent(each, each.ts ?? now())),
    written,
    recall,
  }
}

/** What a sender's clock may be behind, its queue included. Nothing happens after it was told. */
const MOST_LATE_MS = 300_000

const momentOf = ({ ts = Number.POSITIVE_INFINITY }: HookEvent, arrived: number): number =>
  Math.min(arrived, Math.max(ts, arrived - MOST_LATE_MS))

/** A long body must not keep the stream waiting. */
function createBreather() {
  let lines = 0
  let started = performance.now()
  return {
    isDue: () => ++lines % 32 === 0 && performance.now() - started > TURN_MS,
    pause: async () => {
      await setImmediate()
      started = performance.now()
    },
  }
}

function createRejections() {
  const listed: RejectedLine[] = []
  let count = 0
  let firstUnlisted = 0
  return {
    add: (line: RejectedLine) => {
      count += 1
      if (listed.length < MOST_REJECTED) listed.push(line)
      else if (firstUnlisted === 0) firstUnlisted = line.line
    },
    count: () => count,
    list: (): readonly RejectedLine[] => {
      if (firstUnlisted === 0) return listed
      const reason = `and more: ${count - MOST_REJECTED} lines from here on were rejected but are not listed`
      return [...listed, { line: firstUnlisted, path: '', reason }]
    },
  }
}
