export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** How much everybody may ask: so many at once, and so many more each second. */
export interface Buckets {
  /** Takes one; answers in how many whole seconds to come again, 0 where it was given. */
  readonly take: (key: string) => number
  /** The same, without taking. */
  readonly look: (key: string) => number
}

interface Bucket {
  left: number
  at: number
}

const MOST = 20_000

export function createBuckets(
  { perSecond, burst }: Rate,
  now: () => number = () => performance.now(),
): Buckets {
  // The order of a Map is that of use: whoever was away longest has the fullest bucket, which is as good as none.
  const buckets = new Map<string, Bucket>()
  const current = (key: string): Bucket => {
    const at = now()
    const { left, at: since } = buckets.get(key) ?? { left: burst, at }
    return { left: Math.min(burst, left + ((at - since) / 1_000) * perSecond), at }
  }
  const waitOf = ({ left }: Bucket) => (left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)))
  return {
    look: (key) => waitOf(current(key)),
    take: (key) => {
      const bucket = current(key)
      const wait = waitOf(bucket)
      if (wait === 0) bucket.left -= 1
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > MOST) buckets.delete(buckets.keys().next().value as string)
      return wait
    },
  }
}
