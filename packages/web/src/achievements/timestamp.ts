/** The latest moment a Date can hold. */
const LAST_MS = 8.64e15

/** Converts seconds to milliseconds; null for invalid values, which other programs' files may hold. */
export function toMilliseconds(seconds: number | null | undefined): number | null {
  const ms = (seconds ?? Number.NaN) * 1_000
  return Math.abs(ms) <= LAST_MS ? ms : null
}
