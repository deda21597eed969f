export interface Share {
  readonly hits: number
  readonly count: number
}

export interface ShareBounds {
  readonly share: number
  readonly low: number
  readonly high: number
}

/** The standard score of a 95 % interval of the normal distribution. */
export const Z = 1.959963984540054

/** Returns a share with its 95 % confidence interval (Wilson score). Requires at least one case. */
export function wilson({ hits, count }: Share): ShareBounds {
  const share = hits / count
  const middle = (hits + Z ** 2 / 2) / (count + Z ** 2)
  const width = (Z / (count + Z ** 2)) * Math.sqrt(hits * (1 - share) + Z ** 2 / 4)
  // At none or all hits the share itself is a bound, which floating point may miss by its last
  // digit.
  return {
    share,
    low: hits === 0 ? 0 : Math.max(0, middle - width),
    high: hits === count ? 1 : Math.min(1, middle + width),
  }
}
