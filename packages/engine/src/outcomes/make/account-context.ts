import type { Prices } from '@panoptes/engine/models'

/** What an account depends on besides the session itself. */
export interface AccountContext {
  readonly source: string
  readonly prices: Prices
  /** `2026-11-16`, in this computer's time zone. */
  readonly dayOf: (ts: number) => string
  /** Whether a slash command of this name is a skill. */
  readonly isSkill: (name: string) => boolean
}

export const MAIN = 'main'
