import type { PastSession, Spent } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'

const MICRO = 1_000_000

/** Formats the known part of a cost with the number of replies of unknown cost. */
export function moneyText(micro: number, lacks: number): string {
  if (lacks > 0 && micro === 0) return words.unknown
  const money = f.money(micro / MICRO)
  return lacks > 0 ? words.sessions.plusUnknown(money, lacks) : money
}

export const costText = (spent: Spent): string => moneyText(spent.cost_micro_usd, unknownReplies(spent))

/** Formats the cost of a session. Nothing is known about it if only the prompts are left. */
export const sessionCostText = ({ spent, prompts_only }: PastSession): string =>
  prompts_only ? words.unknown : costText(spent)

/**
 * Formats what clients spent outside their transcripts, with the number of sessions that do not report it.
 */
export function outsideText(micro: number | null | undefined, unknown = 0): string {
  if (micro === null || micro === undefined || (micro === 0 && unknown > 0)) return words.unknown
  const money = f.money(micro / MICRO)
  return unknown > 0 ? words.sessions.plusSessions(money, unknown) : money
}

/** Names the missing prices; undefined if none is missing. */
export function costNote(spent: Spent): string | undefined {
  const lacks = unknownReplies(spent)
  if (lacks === 0) return undefined
  return spent.cost_micro_usd === 0 ? words.sessions.costUnknown : words.sessions.costLacks(lacks)
}

/** Formats a number of tokens; a zero is unknown if replies did not report their usage. */
export const tokenText = ({ usage_unknown }: Spent, tokens: number): string =>
  tokens === 0 && usage_unknown > 0 ? words.unknown : f.shortCount(tokens)

const unknownReplies = ({ cost_unknown, usage_unknown }: Spent): number => cost_unknown + usage_unknown
