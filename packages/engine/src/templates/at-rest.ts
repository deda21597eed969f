import type { SessionWork } from './past.ts'

/** Nobody says that a session goes on: one that was active so lately may. */
const AT_WORK_MS = 30 * 60_000

export const isAtWork = ({ ended_at, last_at }: SessionWork, now: number): boolean =>
  ended_at === null && last_at !== null && now - last_at < AT_WORK_MS
