import type { AccountSpent, Outcome, OutcomeOrNone, Quantity } from '@panoptes/schema'
import type { GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const MICRO = 1_000_000
const MINUS = '−'

/** Formats $14.82, with its sign if it is negative. */
export const formatMicroUsd = (micro: number): string =>
  micro < 0 ? `${MINUS}${f.money(-micro / MICRO)}` : f.money(micro / MICRO)

/** Formats a sum with the number of unpriced replies; unknown if nothing is priced. */
export function moneyText(micro: number | null, lacks: number): string {
  if (micro === null || (micro === 0 && lacks > 0)) return words.unknown
  const money = formatMicroUsd(micro)
  return lacks > 0 ? words.ledger.agents.plusUnknown(money, lacks) : money
}

export const costText = ({ cost_micro_usd, cost_unknown }: AccountSpent): string =>
  moneyText(cost_micro_usd, cost_unknown)

/** Formats a limit as it was set: $25, $0.50. */
export const limitText = (micro: number): string =>
  micro % MICRO === 0 ? `$${f.count(micro / MICRO)}` : formatMicroUsd(micro)

export const countText = (value: number | null): string =>
  value === null ? words.unknown : f.shortCount(value)
export const timeText = (ms: number | null): string => (ms === null ? words.unknown : f.duration(ms))

/** Below this count a percentage would suggest more than is known. */
const FEW = 100

/** Formats a share: 2 of 4, or 1.9 % for large totals; unknown if the total is zero. */
export function partText(part: number, whole: number): string {
  if (whole === 0) return words.unknown
  return whole < FEW ? words.ledger.fraction(part, whole) : words.ledger.percent(part / whole)
}

export const rateText = (rate: number | null): string =>
  rate === null ? words.unknown : words.ledger.percent(rate)

/** Formats a quantity: 5m 00s, 41k, $1.84 or 212. */
export function quantityText(quantity: Quantity, value: number): string {
  if (quantity === 'duration') return f.duration(value)
  if (quantity === 'money') return formatMicroUsd(value)
  return f.shortCount(Math.round(value))
}

const SECOND = 1_000
const UNITS = [
  [24 * 3_600 * SECOND, 'd'],
  [3_600 * SECOND, 'h'],
  [60 * SECOND, 'm'],
  [SECOND, 's'],
] as const

/** Formats an axis label as short as possible: 10m, 100k, $1. */
export function tickText(quantity: Quantity, value: number): string {
  if (quantity === 'money') {
    const usd = value / MICRO
    return usd < 0.01
      ? `$${Number(usd.toPrecision(1))}`
      : usd < 1
        ? `$${usd.toFixed(2)}`
        : `$${f.shortCount(usd)}`
  }
  if (quantity !== 'duration') return value >= 1_000 ? formatRounded(value) : f.count(value)
  const [unit, letter] = UNITS.find(([size]) => value >= size) ?? [1, 'ms']
  return `${f.count(value / unit)}${letter}`
}

const formatRounded = (value: number): string =>
  value >= 1_000_000_000
    ? `${f.count(value / 1e9)}G`
    : value >= 1_000_000
      ? `${f.count(value / 1e6)}M`
      : `${f.count(value / 1_000)}k`

export const outcomeGlyphs: Readonly<Record<OutcomeOrNone, GlyphName>> = {
  functional: 'done',
  partial: 'partial',
  scaffolding: 'partial',
  fail: 'failed',
  stopped: 'stopped',
  lost: 'lost',
  none: 'unknown',
}

export const outcomeOrNone = (outcome: Outcome | null): OutcomeOrNone => outcome ?? 'none'
