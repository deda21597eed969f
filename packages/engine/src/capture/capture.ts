import { setImmediate } from 'node:timers/promises'
import type { Bypass } from '@panoptes/engine/markers'
import type { Prices } from '@panoptes/engine/models'
import { redactEvent } from '@panoptes/engine/redact'
import type { EventStore } from '@panoptes/engine/store'
import {
  EVENT_VERSION,
  type NewEvent,
  type RejectedLine,
  type Result,
  type StoredEvent,
  success,
  type TokenUsage,
} from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { createBypassed, NO_BYPASS } from './bypass-registry.ts'
import { type CheckedLine, checkLine } from './check.ts'
import { createCrossSourceDedupe, eventSide } from './cross-source-dedupe.ts'
import { createDeliveries } from './deliveries.ts'
import { fitEvent, type HookEvent, type HookReader, type KeyedEvent, readHookText } from './hook.ts'
import { boundKey, createKeyMaker } from './idempotency-key.ts'
import { lineLength, type RawLine, readLines } from './lines.ts'
import { cutPreviews } from './preview.ts'
import { createSessionFinder, type SessionOf } from './session-finder.ts'

export interface CaptureOptions {
  /** The name of this computer, for events that do not name one. */
  readonly host: string
  readonly findAgents: EventStore['findAgents']
  /**
   * Holds the newest events of hooks and transcripts, newest first. They identify repeated deliveries after a
   * restart.
   */
  readonly known?: readonly StoredEvent[]
  /** The bypass from the daemon's own environment. */
  readonly bypass?: Bypass
  /** Prices for replies that arrive without a cost; without prices the cost stays unknown. */
  readonly prices?: Pick<Prices, 'costOf'>
  readonly now?: () => number
}

/** The lines that were rejected. */
export interface Captured {
  /** At most a thousand entries, then one that counts the rest. */
  readonly rejected: readonly RejectedLine[]
  readonly rejectedCount: number
  /** Counts the rejected lines that were nested too deeply to be parsed. */
  readonly unreadCount: number
}

/** Stores events, one slice of the body at a time and in line order. A failure ends the capture. */
export type Store = (events: readonly NewEvent[]) => Promise<Result<unknown>>

/**
 * Turns input into events. It remembers a bounded number of recent lines and agents, so create one per
 * process.
 */
export interface Capture {
  /** Reads NDJSON, one JSON array or one JSON object. A bad line does not affect the good ones. */
  readonly normalise: (body: Buffer, store: Store) => Promise<Result<Captured>>
  /** Reads the lines of a file independently. `source` applies to lines that do not name one. */
  readonly lines: (lines: Iterable<RawLine>, store: Store, source?: string) => Promise<Result<Captured>>
  /**
   * Reads one hook payload as text, with its arrival time and whether another session's hook started its
   * session; `bypass` comes from the agent's environment. A payload that cannot be parsed is stored as a raw
   * hook event.
   */
  readonly hook: (
    reader: HookReader,
    text: string,
    arrived: number,
    fromHook?: boolean,
    bypass?: Bypass,
  ) => readonly NewEvent[]
  /** Converts events that a reader found on its own. */
  readonly found: (events: readonly KeyedEvent[]) => readonly NewEvent[]
  /**
   * Converts events that an agent wrote to disk, with the time of each. An event that its hooks also reported
   * gets the same key.
   */
  readonly written: (events: readonly WrittenEvent[]) => readonly NewEvent[]
  /** Loads the stored events of a session that is about to be read, in any order. */
  readonly recall: (events: readonly StoredEvent[]) => void
}

/** An event from an agent's own files, which always has a time. */
export type WrittenEvent = KeyedEvent & { readonly ts: number }

/** A slice ends at whichever limit comes first, so that a long body is not in memory as events as well. */
const SLICE_LINES = 2_000
const SLICE_LENGTH = 1_048_576
const MOST_REJECTED = 1_000
/** Parsing holds the thread for at most about this long. */
const TURN_MS = 8

type Envelope = Pick<NewEvent, 'key' | 'ts' | 'source' | 'session_id'>

export function createCapture(options: CaptureOptions): Capture {
  const now = options.now ?? Date.now
  const makeKey = createKeyMaker()
  const deliveries = createDeliveries(options.known?.map(({ key }) => key))
  const dedupe = createCrossSourceDedupe()
  const bypassed = createBypassed(options.bypass ?? NO_BYPASS)
  const sessions = createSessionFinder(options.findAgents)

  const toEvent = (
    line: CheckedLine,
    arrived: number,
    findSession: SessionOf,
    otherwise = 'custom',
  ): NewEvent => {
    const { source } = line.fields
    const origin = typeof source === 'string' ? source : otherwise
    const key = makeKey(line, origin, arrived)
    return complete(line.fields, {
      key,
      ts: line.ts ?? arrived,
      source: origin,
      session_id: findSession(line),
    })
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
    const newEvent: NewEvent = { v: EVENT_VERSION, key, ts, event, source, host: where, session_id, ...rest }
    return redactEvent(addPrice(newEvent, options.prices)).event
  }

  const hookEvent = (event: KeyedEvent, ts: number): NewEvent =>
    cutPreviews(
      complete(event, { key: boundKey(event.key), ts, source: event.source, session_id: event.session_id }),
    )

  const hook: Capture['hook'] = (reader, text, arrived, fromHook = false, bypass = NO_BYPASS) => {
    const read = readHookText(reader, text, arrived)
    const keyed = deliveries.keyed({ source: reader.source, text, arrived, events: read })
    return [...keyed, ...bypassed.note(keyed, bypass)].flatMap((each) => {
      if (bypassed.isLeftOut(each)) return []
      const ts = eventTime(each, arrived)
      const key = dedupe.resolveKey('hook', each, ts, each.key)
      return hookEvent({ ...each, key, ...(fromHook ? { from_hook: true } : {}) }, ts)
    })
  }

  const written: Capture['written'] = (events) =>
    events.flatMap((event) => {
      const fit = fitEvent(event)
      if (!('event' in fit) || bypassed.isLeftOut(event)) return []
      const ts = Math.min(event.ts, now())
      const key = dedupe.resolveKey('transcript', event, ts, boundKey(event.key))
      return [hookEvent({ ...fit, key, via: 'transcript' }, ts)]
    })

  const recall: Capture['recall'] = (events) => {
    for (const event of events.toSorted((a, b) => a.ts - b.ts)) {
      bypassed.recall(event)
      dedupe.resolveKey(eventSide(event), event, event.ts, event.key)
    }
  }
  recall(options.known ?? [])

  /** Passes events on slice by slice; `source` applies to lines that do not name one. */
  const pass = async (raws: Iterable<RawLine>, store: Store, source?: string): Promise<Result<Captured>> => {
    const arrived = now()
    const yielder = createYielder()
    const rejected = createRejections()
    const passSlice = async (lines: readonly CheckedLine[]): Promise<Result<unknown>> => {
      const findSession = await sessions.prepare(lines)
      if (!findSession.ok) return findSession
      const events: NewEvent[] = []
      for (const line of lines) {
        events.push(toEvent(line, arrived, findSession.value, source))
        if (yielder.isDue()) await yielder.pause()
      }
      return store(events)
    }
    let unreadCount = 0
    let slice: CheckedLine[] = []
    let length = 0
    for (const raw of raws) {
      const checked = checkLine(raw)
      if ('reason' in checked) {
        const { path, reason, unread } = checked
        rejected.add({ line: raw.line, path, reason })
        if (unread) unreadCount += 1
      } else slice.push(checked)
      length += lineLength(raw)
      if (slice.length >= SLICE_LINES || length >= SLICE_LENGTH) {
        const passed = await passSlice(slice)
        if (!passed.ok) return passed
        slice = []
        length = 0
      }
      if (yielder.isDue()) await yielder.pause()
    }
    const passed = await passSlice(slice)
    if (!passed.ok) return passed
    return success({ rejected: rejected.list(), rejectedCount: rejected.count(), unreadCount })
  }

  return {
    normalise: (body, store) => pass(readLines(body), store),
    lines: pass,
    hook,
    found: (events) =>
      events.filter((each) => !bypassed.isLeftOut(each)).map((each) => hookEvent(each, each.ts ?? now())),
    written,
    recall,
  }
}

/** The largest delay of a sender's clock and queue together. No event can happen after it was reported. */
const MOST_LATE_MS = 300_000

const eventTime = ({ ts = Number.POSITIVE_INFINITY }: HookEvent, arrived: number): number =>
  clamp(ts, arrived - MOST_LATE_MS, arrived)

/** Yields while reading a long body, so that other requests are served. */
function createYielder() {
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
      const rest = count - MOST_REJECTED
      const reason = `and ${rest} more rejected ${rest === 1 ? 'line that is' : 'lines that are'} not listed`
      return [...listed, { line: firstUnlisted, path: '', reason }]
    },
  }
}

/**
 * Adds the cost to a reply that reports only tokens. Live has no other price and uses the same prices as
 * Sessions, so both show the same sums. A sender that reports an unknown price is believed.
 */
export function addPrice(event: NewEvent, prices: Pick<Prices, 'costOf'> | undefined): NewEvent {
  if (prices === undefined || event.event !== 'usage') return event
  const { model, cost_usd, cost_status } = event
  if (typeof model !== 'string' || typeof cost_usd === 'number' || cost_status === 'unknown') return event
  const cost = prices.costOf(model, eventUsage(event), event.ts)
  return cost === null ? event : { ...event, cost_usd: cost / 1_000_000, cost_status: 'estimated' }
}

const FIELDS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h', 'reasoning'] as const

const eventUsage = (event: NewEvent): TokenUsage =>
  Object.fromEntries(
    FIELDS.map((name) => [name, Number.isSafeInteger(event[name]) ? event[name] : null]),
  ) as TokenUsage
