/** A histogram of times in buckets that grow by a quarter of an octave: about 19 % wide, whatever the scale. */
export type Durations = Record<string, number>

const STEPS_PER_OCTAVE = 4
const LONGEST = 24 * STEPS_PER_OCTAVE

/** Which bucket a time belongs to. */
export const classOf = (ms: number): number =>
  Math.min(LONGEST, Math.max(0, Math.round(Math.log2(Math.max(ms, 1)) * STEPS_PER_OCTAVE)))

export function addDuration(durations: Durations, ms: number): void {
  const bucket = String(classOf(ms))
  durations[bucket] = (durations[bucket] ?? 0) + 1
}

/** The time that a share of all samples does not exceed, to within a bucket; null without samples. */
export function quantile(durations: Durations, share: number): number | null {
  const place = placeOf(durations, share)
  return place && middleOf(place.bucket)
}

export const middleOf = (bucket: number): number => Math.round(2 ** (bucket / STEPS_PER_OCTAVE))

/** The bucket in which that time lies, and how many samples of the bucket are before it. */
export function placeOf(
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
