import type { Spent } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'

const MICRO = 1_000_000

/** What it cost, as far as that is known. */
export function costText(spent: Spent): string {
  const lacks = unknownOf(spent)
  if (lacks > 0 && spent.cost_micro_usd === 0) return words.unknown
  const money = f.money(spent.cost_micro_usd / MICRO)
  return lacks > 0 ? words.sessions.plusUnknown(money, lacks) : money
}

/** What lacks in the figure, in words; nothing where it is whole. */
export function costNote(spent: Spent): string | undefined {
  const lacks = unknownOf(spent)
  if (lacks === 0) return undefined
  return spent.cost_micro_usd === 0 ? words.sessions.costUnknown : words.sessions.costLacks(lacks)
}

const unknownOf = ({ cost_unknown, usage_unknown }: Spent): number => cost_unknown + usage_unknown
