import type { Quantity } from '@panoptes/schema'

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'days'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
]
const MICRO = 1_000_000

/** Formats amounts for people in the unit of the first; only the first shows the unit. */
export function amounts(quantity: Quantity, first: number, ...more: readonly number[]): readonly string[] {
  if (quantity === 'money') return [first, ...more].map((amount) => `$${money(amount / MICRO)}`)
  if (quantity !== 'duration') return [first, ...more].map(plain).map((text, at) => named(text, at, quantity))
  const [ms, unit] = UNITS.find(([size]) => first >= size) ?? [1, 'ms']
  return [`${plain(first / ms)} ${unit}`, ...more.map((amount) => plain(amount / ms))]
}

const named = (text: string, at: number, quantity: Quantity): string =>
  quantity === 'tokens' && at === 0 ? `${text} tokens` : text

const money = (dollars: number): string =>
  dollars === 0 || dollars >= 0.01 ? dollars.toFixed(2) : String(Number(dollars.toPrecision(2)))

/**
 * Formats a whole number from ten on, otherwise one decimal; small numbers get two significant
 * digits.
 */
function plain(amount: number): string {
  if (amount >= 10) return String(Math.round(amount))
  return String(amount >= 1 ? Math.round(amount * 10) / 10 : Number(amount.toPrecision(2)))
}
