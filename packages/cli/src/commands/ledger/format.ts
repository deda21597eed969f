import type { AccountSpent, CostRow } from '@panoptes/schema'
import { count } from '../../terminal/format.ts'
import { dollars } from '../sessions/format.ts'

/** Shows an unknown value as a dash. */
export const orDash = (value: number | null, text: (value: number) => string = count): string =>
  value === null ? '–' : text(value)

export const usd = (micro: number | null): number | null => (micro === null ? null : micro / 1_000_000)

/** Formats dollars for other programs, empty if no price is known. */
export const knownUsd = (micro: number, unknown: number): number | null =>
  micro === 0 && unknown > 0 ? null : usd(micro)

/** Formats a cost and the number of replies with an unknown price. */
export function moneyText({
  cost_micro_usd: cost,
  cost_unknown: unknown,
}: Pick<AccountSpent, 'cost_micro_usd' | 'cost_unknown'>): string {
  if (cost === null || (cost === 0 && unknown > 0)) return '–'
  return unknown > 0 ? `${dollars(cost)} + ${count(unknown)} unknown` : dollars(cost)
}

export const costText = ({ cost_micro_usd, cost_unknown, usage_unknown }: CostRow): string =>
  moneyText({ cost_micro_usd, cost_unknown: cost_unknown + usage_unknown })

export const percent = (share: number | null): string =>
  share === null ? '–' : `${Math.round(share * 100)} %`

/** Right-aligns numbers. Text columns are given by index. */
export function aligned(
  rows: readonly (readonly string[])[],
  words: readonly number[],
): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row.map((cell, at) => (words.includes(at) ? cell : cell.padStart(widths[at] ?? 0))),
  )
}
