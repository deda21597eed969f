import type { ForwardProblem } from '@panoptes/schema'
import type { Trouble } from './problem.ts'

/** How long to wait after so many attempts in a row that failed. */
export type Patience = (trouble: Trouble, attempts: number) => number

export interface PatienceTimes {
  readonly firstMs: number
  readonly mostMs: number
  /** Where only a person can help, such as with a token that is refused. */
  readonly slowMs: number
  /** How often a refused token is read again, and a failure of this computer is tried again. */
  readonly lookMs: number
}

export const TIMES: PatienceTimes = { firstMs: 500, mostMs: 30_000, slowMs: 60_000, lookMs: 2_000 }

const FOR_A_PERSON: ReadonlySet<ForwardProblem['kind']> = new Set(['token', 'address', 'tls'])

/** Longer each time, and never the same for all who wait: a hub that comes back is not met by everybody at once. */
export const createPatience =
  (times: PatienceTimes = TIMES, chance: () => number = Math.random): Patience =>
  ({ kind, afterMs }, attempts) => {
    const most = FOR_A_PERSON.has(kind) ? times.slowMs : times.mostMs
    const longer = Math.min(most, times.firstMs * 2 ** Math.min(attempts - 1, 20))
    const own = longer * (0.5 + chance() / 2)
    return afterMs === undefined ? own : Math.max(afterMs * (1 + chance() / 4), own / 2)
  }
