import { setImmediate } from 'node:timers/promises'
import type { Ledger } from '@panoptes/engine/ledger'
import { redactEvent } from '@panoptes/engine/redact'
import { EVENT_VERSION, type NewEvent, type RejectedLine, type Result, success } from '@panoptes/schema'
import { type CheckedLine, checkLine } from './check.ts'
import { type HookEvent, type HookReader, readHookText } from './hook.ts'
import { createKeyMaker } from './key.ts'
import { lengthOf, linesOf, type RawLine } from './lines.ts'
import { createSessionFinder, type SessionOf } from './sessions.ts'

export interface CaptureOptions {
  /** The name of this machine, for events that do not say where they happened. */
  readonly host: string
  readonly findAgents: Ledger['findAgents']
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
   * of. What cannot be understood is kept as it came.
   */
  readonly hook: (
    reader: HookReader,
    text: string,
    arrived: number,
    fromHook?: boolean,
  ) => readonly NewEvent[]
}

/** A slice ends at whichever comes first: a long body must not stand in memory as events as well. */
const SLICE_LINES = 2_000
const SLICE_LENGTH = 1_048_576
const MOST_REJECTED = 1_000
/** How long to keep other work waiting. */
const TURN_MS = 8

export function createCapture(options: CaptureOptions): Capture {
  const now = options.now ?? Date.now
  const makeKey = createKeyMaker()
  const sessions = createSessionFinder(options.findAgents)

  const eventOf = (
    line: CheckedLine,
    arrived: number,
    sessionOf: SessionOf,
    otherwise = 'custom',
  ): NewEvent => {
    const {
      v: _v,
      key: _key,
      ts: _ts,
      seq: _seq,
      event,
      source,
      host,
      session_id: _session,
      ...rest
    } = line.fields
    const origin = typeof source === 'string' ? source : otherwise
    const complete: NewEvent = {
      v: EVENT_VERSION,
      key: makeKey(line, origin, arrived),
      ts: line.ts ?? arrived,
      event,
      source: origin,
      host: typeof host === 'string' ? host : options.host,
      session_id: sessionOf(line),
      ...rest,
    }
    return redactEvent(complete).event
  }

  const hookEvent = (told: HookEvent, arrived: number): NewEvent =>
    eventOf({ line: 1, fields: told, ts: told.ts ?? arrived, stamped: true }, arrived, () => told.session_id)

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
    hook: (reader, text, arrived, fromHook = false) =>
      readHookText(reader, text).map((told) =>
        hookEvent(fromHook ? { ...told, from_hook: true } : told, arrived),
      ),
  }
}

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
