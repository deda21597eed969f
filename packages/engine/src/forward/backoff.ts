import type { ForwardProblem } from '@panoptes/schema'
import type { Trouble } from './problem.ts'

/** Returns how long to wait after this many consecutive failures. */
export type Backoff = (trouble: Trouble, attempts: number) => number

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
