import type { SessionWork } from './session-history.ts'

/** Nothing records that a session continues, so one that was active this recently may. */
const AT_WORK_MS = 30 * 60_000

export const isAtWork = ({ ended_at, last_at }: SessionWork, now: number): boolean =>
  ended_at === null && last_at !== null && now - last_at < AT_WORK_MS
