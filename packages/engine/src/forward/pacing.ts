import type { BatchLimits } from './batch.ts'

/** How much goes at once: little while the hub keeps up, more the further behind it is, less where it is refused. */
export interface Pacing {
  readonly limits: () => BatchLimits
  /** A batch was taken: whether more waited behind it, and what it came to. */
  readonly taken: (batch: Sent) => void
  /** The body was too large, or something in it was wrong: half of it is tried. */
  readonly halve: (batch: Pick<Sent, 'lines' | 'bytes'>) => void
  /** The hub fails at something in it, which is looked for by halves until all of it is taken. */
  readonly search: (batch: Pick<Sent, 'lines' | 'bytes'>) => void
  readonly isSearching: () => boolean
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
  /** What is left of a batch that the hub failed at. */
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
    taken: ({ lines, bytes, compressed, more, startedAt }) => {
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
    ease: () => {
      limits = {
        ...limits,
        bytes: Math.max(Math.min(limits.bytes, LEAST_BYTES), Math.floor(limits.bytes / 2)),
      }
    },
    waitMs: (now) => Math.max(0, notBefore - now),
  }
}
