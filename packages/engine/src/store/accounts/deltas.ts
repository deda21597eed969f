const BETWEEN = '\u001f'

interface Change {
  /** The numbers of the key, as text. */
  readonly key: readonly string[]
  readonly amounts: readonly number[]
  /** This is true when a count decreased and may have reached zero. */
  readonly isLess: boolean
}

/**
 * Collects what many rows change in a table of sums, so that each sum is written once. The first amounts are
 * `counts`: a sum whose counts reach zero is deleted.
 */
export class Deltas {
  readonly table: string
  readonly key: readonly string[]
  readonly counts: readonly string[]
  readonly amounts: readonly string[]
  readonly #changed = new Map<string, number[]>()

  constructor(
    table: string,
    key: readonly string[],
    counts: readonly string[],
    more: readonly string[] = [],
  ) {
    this.table = table
    this.key = key
    this.counts = counts
    this.amounts = [...counts, ...more]
  }

  /** A key may consist only of numbers and of words without control characters. */
  add(key: readonly (string | number)[], amounts: readonly number[], sign: 1 | -1): void {
    const name = key.join(BETWEEN)
    const sums = this.#changed.get(name)
    if (sums === undefined)
      this.#changed.set(name, sign === 1 ? [...amounts] : amounts.map((amount) => -amount))
    else for (let n = 0; n < sums.length; n += 1) sums[n] = (sums[n] ?? 0) + sign * (amounts[n] ?? 0)
  }

  /** Returns the collected changes once and clears them, for the caller to write. */
  *changes(): Iterable<Change> {
    for (const [name, amounts] of this.#changed)
      if (amounts.some((amount) => amount !== 0))
        yield {
          key: name.split(BETWEEN),
          amounts,
          isLess: amounts.slice(0, this.counts.length).some((count) => count < 0),
        }
    this.#changed.clear()
  }
}
