import type { Prices } from '@panoptes/engine/models'

/** What an account hangs on beside what the session itself tells. */
export interface Making {
  readonly source: string
  readonly prices: Prices
  /** `2026-11-16`, by the clock of this computer. */
  readonly dayOf: (ts: number) => string
  /** Whether a slash command of this name is a skill. */
  readonly isSkill: (name: string) => boolean
}

export const MAIN = 'main'
