/** Helpers to read what another program wrote: every field may be missing or of another type. */
export { type Fields, nonEmptyText as toText, toFields } from '@panoptes/schema/plain-object'

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns a non-negative whole number. Anything else is absent, not zero. */
export const toCount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

const FIRST_MS = Date.UTC(2000, 0)
const LAST_MS = Date.UTC(2200, 0)

/** Parses an ISO text or a number as milliseconds. Implausible times are absent. */
export function toTime(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return ms >= FIRST_MS && ms < LAST_MS ? Math.round(ms) : null
}
