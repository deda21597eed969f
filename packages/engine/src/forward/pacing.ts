import type { ForwardProblem } from '@panoptes/schema'
import type { BatchLimits } from './batch.ts'
import type { Trouble } from './problem.ts'

/**
 * Decides how much to send at once: little while the hub keeps up, more the further behind it is, less after
 * a refusal.
 */
export interface Pacing {
  readonly limits: () => BatchLimits
  /** Records an accepted batch: its size and whether more was waiting. */
  readonly recordAccepted: (batch: Sent) => void
  /** Halves the batch after a body was too large or contained something invalid. */
  readonly halve: (batch: Pick<Sent, 'lines' | 'bytes'>) => void
  /** Searches by halves for the event at which the hub fails, until the whole batch was accepted. */
  readonly search: (batch: Pick<Sent, 'lines' | 'bytes'>) => void
  readonly isSearching: () => boolean
  /** Sends less at a time because the hub is busy or far away. */
  readonly slowDown: () => void
  /** Returns how long the next batch has to wait, so that events within a moment are sent together. */
  readonly waitMs: (now: number) => number
}

interface Sent {
  readonly lines: number
  readonly bytes: number
  readonly compressed: number
  readonly more: boolean
  readonly startedAt: number
}

const FIRST: BatchLimits = { bytes: 262_144, lines: 1_000 }
/** A hub accepts 16 MiB; beyond a quarter of that, larger bodies bring no gain. */
const MOST: BatchLimits = { bytes: 4_194_304, lines: 8_000 }
const LEAST_BYTES = 65_536
/**
 * Requests start at least this far apart even without a backlog, so that events in between are sent together.
 */
const APART_MS = 40
const LIKELY_RATIO = 5

/** Returns how long to wait after this many consecutive failures. */
type Backoff = (trouble: Trouble, attempts: number) => number

export interface BackoffTimes {
  readonly firstMs: number
  readonly mostMs: number
  /** This wait applies where only a person can help, for example when a token is refused. */
  readonly slowMs: number
  /** A refused token is read again, and a local failure is retried, after this time. */
  readonly lookMs: number
}

export const TIMES: BackoffTimes = { firstMs: 500, mostMs: 30_000, slowMs: 60_000, lookMs: 2_000 }

const FOR_A_PERSON: ReadonlySet<ForwardProblem['kind']> = new Set(['token', 'address', 'tls'])

const SPAN_MS = 30_000

/** The throughput of the last half minute, per second. */
interface Rate {
  readonly add: (events: number, bytes: number) => void
  readonly now: () => { readonly events: number; readonly bytes: number }
}

export function createPacing(bytesPerSecond: number | null): Pacing {
  let limits = FIRST
  let ratio = LIKELY_RATIO
  let notBefore = 0
  /** The part of a failing batch that was not accepted yet. */
  let suspect: Pick<Sent, 'lines' | 'bytes'> | undefined
  const within = (): BatchLimits =>
    bytesPerSecond === null
      ? limits
      : // A batch is about a second's worth, so that a slow line is not taken in bursts.
        { ...limits, bytes: Math.min(limits.bytes, Math.max(1, bytesPerSecond * ratio)) }
  const halve = ({ lines, bytes }: Pick<Sent, 'lines' | 'bytes'>): void => {
    limits = { bytes: Math.max(1, Math.floor(bytes / 2)), lines: Math.max(1, Math.floor(lines / 2)) }
  }
  return {
    limits: within,
    recordAccepted: ({ lines, bytes, compressed, more, startedAt }) => {
      ratio = Math.max(1, bytes / Math.max(1, compressed))
      notBefore = startedAt + (more ? 0 : APART_MS)
      const left = suspect && { lines: suspect.lines - lines, bytes: suspect.bytes - bytes }
      suspect = left && more && left.lines > 0 ? left : undefined
      if (suspect) halve(suspect)
      else if (more)
        limits = {
          bytes: Math.min(MOST.bytes, limits.bytes * 2),
          lines: Math.min(MOST.lines, limits.lines * 2),
        }
      else limits = { bytes: Math.max(limits.bytes, FIRST.bytes), lines: Math.max(limits.lines, FIRST.lines) }
    },
    halve,
    search: ({ lines, bytes }) => {
      suspect = { lines, bytes }
      halve(suspect)
    },
    isSearching: () => suspect !== undefined,
    slowDown: () => {
      limits = {
        ...limits,
        bytes: Math.max(Math.min(limits.bytes, LEAST_BYTES), Math.floor(limits.bytes / 2)),
      }
    },
    waitMs: (now) => Math.max(0, notBefore - now),
  }
}

/**
 * The wait grows with each failure and has jitter, so that a hub that comes back is not hit by everybody at
 * once.
 */
export const createBackoff =
  (times: BackoffTimes = TIMES, chance: () => number = Math.random): Backoff =>
  ({ kind, afterMs }, attempts) => {
    const most = FOR_A_PERSON.has(kind) ? times.slowMs : times.mostMs
    const longer = Math.min(most, times.firstMs * 2 ** Math.min(attempts - 1, 20))
    const own = longer * (0.5 + chance() / 2)
    return afterMs === undefined ? own : Math.max(afterMs * (1 + chance() / 4), own / 2)
  }

export function createRate(clock: () => number = Date.now): Rate {
  const began = clock()
  const slots = new Map<number, { events: number; bytes: number }>()
  const forget = (now: number) => {
    for (const second of slots.keys()) {
      if (second * 1_000 > now - SPAN_MS) return
      slots.delete(second)
    }
  }
  return {
    add: (events, bytes) => {
      const now = clock()
      const second = Math.floor(now / 1_000)
      const slot = slots.get(second) ?? { events: 0, bytes: 0 }
      slots.set(second, { events: slot.events + events, bytes: slot.bytes + bytes })
      forget(now)
    },
    now: () => {
      const now = clock()
      forget(now)
      const seconds = Math.max(1, Math.min(SPAN_MS, now - began) / 1_000)
      let [events, bytes] = [0, 0]
      for (const slot of slots.values()) {
        events += slot.events
        bytes += slot.bytes
      }
      return { events: events / seconds, bytes: bytes / seconds }
    },
  }
}
