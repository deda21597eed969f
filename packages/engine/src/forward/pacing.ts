import type { BatchLimits } from './batch.ts'

/** How much goes at once: little while the hub keeps up, more the further behind it is, less where it is refused. */
export interface Pacing {
  readonly limits: () => BatchLimits
  /** A batch was taken: whether more waited behind it, and what it came to. */
  readonly taken: (batch: Sent) => void
  /** The body was too large, or something in it was wrong: half of it is tried. */
  readonly halve: (batch: Pick<Sent, 'lines' | 'bytes'>) => void
  /** The hub is busy or far away: it is given less at a time. */
  readonly ease: () => void
  /** How long the next one has to wait, so that what comes within a moment goes together. */
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
/** A hub takes 16 MiB: a quarter of it is where a larger body gains nothing more. */
const MOST: BatchLimits = { bytes: 4_194_304, lines: 8_000 }
const LEAST_BYTES = 65_536
/** While everything is sent at once, requests begin no closer together than this: what comes meanwhile goes together. */
const APART_MS = 40
const LIKELY_RATIO = 5

export function createPacing(bytesPerSecond: number | null): Pacing {
  let limits = FIRST
  let ratio = LIKELY_RATIO
  let notBefore = 0
  const within = (): BatchLimits =>
    bytesPerSecond === null
      ? limits
      : // A batch is about a second's worth, so that a slow line is not taken in bursts.
        { ...limits, bytes: Math.min(limits.bytes, Math.max(1, bytesPerSecond * ratio)) }
  return {
    limits: within,
    taken: ({ bytes, compressed, more, startedAt }) => {
      ratio = Math.max(1, bytes / Math.max(1, compressed))
      notBefore = startedAt + (more ? 0 : APART_MS)
      if (more)
        limits = {
          bytes: Math.min(MOST.bytes, limits.bytes * 2),
          lines: Math.min(MOST.lines, limits.lines * 2),
        }
      else limits = { bytes: Math.max(limits.bytes, FIRST.bytes), lines: Math.max(limits.lines, FIRST.lines) }
    },
    halve: ({ lines, bytes }) => {
      limits = { bytes: Math.max(1, Math.floor(bytes / 2)), lines: Math.max(1, Math.floor(lines / 2)) }
    },
    ease: () => {
      limits = {
        ...limits,
        bytes: Math.max(Math.min(limits.bytes, LEAST_BYTES), Math.floor(limits.bytes / 2)),
      }
    },
    waitMs: (now) => Math.max(0, notBefore - now),
  }
}
