export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** A token bucket per client: `burst` requests at once, and `perSecond` more each second. */
export interface RateLimiter {
  /** Takes one request. Returns how many whole seconds to wait, or 0 if it was granted. */
  readonly take: (key: string) => number
  /** Returns how long a request would have to wait, without counting it. */
  readonly peek: (key: string) => number
}

interface Bucket {
  left: number
  at: number
}

const MOST = 20_000

export function createRateLimiter(
  { perSecond, burst }: Rate,
  now: () => number = () => performance.now(),
): RateLimiter {
  // A Map keeps the order of use, so the first key was idle longest: its bucket is the fullest and can be dropped.
  const buckets = new Map<string, Bucket>()
  const refillBucket = (key: string): Bucket => {
    const at = now()
    const { left, at: since } = buckets.get(key) ?? { left: burst, at }
    return { left: Math.min(burst, left + ((at - since) / 1_000) * perSecond), at }
  }
  const waitSeconds = ({ left }: Bucket) => (left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)))
  return {
    peek: (key) => waitSeconds(refillBucket(key)),
    take: (key) => {
      const bucket = refillBucket(key)
      const wait = waitSeconds(bucket)
      if (wait === 0) bucket.left -= 1
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > MOST) buckets.delete(buckets.keys().next().value as string)
      return wait
    },
  }
}
