import type { Spent } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'

const MICRO = 1_000_000

/** Money as far as it is known, and of how many replies it is not. */
export function moneyText(micro: number, lacks: number): string {
  if (lacks > 0 && micro === 0) return words.unknown
  const money = f.money(micro / MICRO)
  return lacks > 0 ? words.sessions.plusUnknown(money, lacks) : money
}

export const costText = (spent: Spent): string => moneyText(spent.cost_micro_usd, unknownOf(spent))

/** What lacks in the figure, in words; nothing where it is whole. */
export function costNote(spent: Spent): string | undefined {
  const lacks = unknownOf(spent)
  if (lacks === 0) return undefined
  return spent.cost_micro_usd === 0 ? words.sessions.costUnknown : words.sessions.costLacks(lacks)
}

const unknownOf = ({ cost_unknown, usage_unknown }: Spent): number => cost_unknown + usage_unknown
