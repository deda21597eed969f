import type { AccountSpent, CostRow } from '@panoptes/schema'
import { count } from '../../terminal/words.ts'
import { dollars } from '../sessions/words.ts'

/** What is not known is a dash. */
export const known = (value: number | null, text: (value: number) => string = count): string =>
  value === null ? '–' : text(value)

export const usd = (micro: number | null): number | null => (micro === null ? null : micro / 1_000_000)

/** Money, and of how many replies the price is not known. */
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

/** Numbers stand under each other by their last digit; columns of words are named by their place. */
export function aligned(
  rows: readonly (readonly string[])[],
  words: readonly number[],
): readonly (readonly string[])[] {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row.map((cell, at) => (words.includes(at) ? cell : cell.padStart(widths[at] ?? 0))),
  )
}
