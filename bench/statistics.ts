/** Returns the value below which this share of the list lies. With 0.5 it is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))
  return sorted[place] ?? Number.NaN
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Rounds to three significant digits, because measurements on a noisy machine are not more precise. */
export function round(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value
  return Number(value.toPrecision(3))
}

/** Runs each variant once per round, in turn, so that noise affects all of them equally. */
export async function interleaved<Name extends string>(
  rounds: number,
  variants: Readonly<Record<Name, () => number | Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(variants) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let n = 0; n < rounds; n += 1) {
    for (const name of n % 2 === 0 ? names : names.toReversed()) measured[name].push(await variants[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(measured[name])])) as Record<Name, number>
}
