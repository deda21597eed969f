import { clamp } from '@panoptes/schema/numbers'

/**
 * A histogram of durations in buckets that grow by a quarter of an octave: about 19 % wide at every scale.
 */
export type Durations = Record<string, number>

const STEPS_PER_OCTAVE = 4
const LONGEST = 24 * STEPS_PER_OCTAVE

/** Returns the bucket of a duration. */
export const toBucket = (ms: number): number =>
  clamp(Math.round(Math.log2(Math.max(ms, 1)) * STEPS_PER_OCTAVE), 0, LONGEST)

export function addDuration(durations: Durations, ms: number): void {
  const bucket = String(toBucket(ms))
  durations[bucket] = (durations[bucket] ?? 0) + 1
}

/**
 * Returns the duration that a share of all samples does not exceed, to within a bucket, or null without
 * samples.
 */
export function quantile(durations: Durations, share: number): number | null {
  const place = findPlace(durations, share)
  return place && bucketMiddle(place.bucket)
}

export const bucketMiddle = (bucket: number): number => Math.round(2 ** (bucket / STEPS_PER_OCTAVE))

/** Finds the bucket of that duration, and how many of the bucket's samples come before it. */
export function findPlace(
  durations: Durations,
  share: number,
): { readonly bucket: number; readonly n: number } | null {
  const buckets = Object.entries(durations)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(share * total - 1e-9))
  let seen = 0
  for (const [bucket, count] of buckets) {
    if (seen + count >= rank) return { bucket, n: rank - seen - 1 }
    seen += count
  }
  return null
}
