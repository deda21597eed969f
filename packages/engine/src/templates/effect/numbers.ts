/** Two numbers with as many digits as it takes to tell them apart. */
type Pair = readonly [string, string]

const MOST_DIGITS = 2

export const percents = (a: number, b: number): Pair =>
  apart([a * 100, b * 100], (value, digits) => `${grouped(value, digits)} %`)

export const amounts = (a: number, b: number): Pair => apart([a, b], grouped)

const THOUSAND = 1_000
const MILLION = 1_000_000

export const counts = (a: number, b: number): Pair => {
  const [one, other] = [short(a), short(b)]
  return one === other ? [grouped(a, 0), grouped(b, 0)] : [one, other]
}

function short(value: number): string {
  if (value >= MILLION) return `${grouped(value / MILLION, 1)}M`
  return value >= 10 * THOUSAND ? `${grouped(value / THOUSAND, 0)}k` : grouped(value, 0)
}

function apart([a, b]: readonly [number, number], show: (value: number, digits: number) => string): Pair {
  for (let digits = 0; ; digits += 1) {
    const pair: Pair = [show(a, digits), show(b, digits)]
    if (pair[0] !== pair[1] || digits === MOST_DIGITS || a === b) return pair
  }
}

const grouped = (value: number, digits: number): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
