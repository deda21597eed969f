/** A seeded random source: the same seed gives the same day on every machine. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number
  /** Returns a whole number from `low` to `high`, both included. */
  int(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
  pickWeighted<T extends { readonly weight: number }>(list: readonly [T, ...T[]]): T
  /** Returns a number around a median, with a long tail upwards. */
  about(median: number): number
  hex(digits: number): string
}

export function random(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0

  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))

  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    pickWeighted: (list) => {
      let left = next() * list.reduce((sum, item) => sum + item.weight, 0)
      for (const item of list) {
        left -= item.weight
        if (left < 0) return item
      }
      return list[0]
    },
    about: (median) => Math.max(1, Math.round(median * Math.exp((next() + next() + next() - 1.5) * 1.4))),
    hex: (digits) => {
      let text = ''
      while (text.length < digits)
        text += Math.floor(next() * 0x1_0000_0000)
          .toString(16)
          .padStart(8, '0')
      return text.slice(0, digits)
    },
  }
}
