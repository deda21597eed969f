/** The farthest moment that a date can be of. */
const LAST_MS = 8.64e15

/** Milliseconds of a moment in seconds; null for what is none, as a file of another program may say. */
export function msOf(seconds: number | null | undefined): number | null {
  const ms = (seconds ?? Number.NaN) * 1_000
  return Math.abs(ms) <= LAST_MS ? ms : null
}
