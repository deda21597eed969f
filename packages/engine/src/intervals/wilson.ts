import { Z } from './z.ts'

export interface Share {
  readonly hits: number
  readonly count: number
}

export interface ShareBounds {
  readonly share: number
  readonly low: number
  readonly high: number
}

/** A share, and within which bounds chance leaves it in 95 of 100 cases (Wilson's score). There is one case at least. */
export function wilson({ hits, count }: Share): ShareBounds {
  const share = hits / count
  const middle = (hits + Z ** 2 / 2) / (count + Z ** 2)
  const width = (Z / (count + Z ** 2)) * Math.sqrt(hits * (1 - share) + Z ** 2 / 4)
  // None and all are bounds themselves; the last digit of a sum may be off.
  return {
    share,
    low: hits === 0 ? 0 : Math.max(0, middle - width),
    high: hits === count ? 1 : Math.min(1, middle + width),
  }
}
