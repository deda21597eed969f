import type { Claim, LedgerSkill, OutcomeRow } from '@panoptes/schema'
import { claimKey, isEstimate } from '../claim-check.ts'
import { OUTCOMES } from '../search-params.ts'

const claimRank = (claim: Claim): number => {
  const { verdict } = claim.check
  if (verdict === 'holds') return 4
  return (isEstimate(claim) ? 2 : 0) + (verdict === 'fails' ? 0 : 1)
}

/** Failed claims, then unchecked ones, then estimates; claims that hold only if there is nothing else. */
export function selectNotableClaims(claims: readonly Claim[], most: number): readonly Claim[] {
  const each = [...new Map(claims.map((claim) => [claimKey(claim), claim])).values()]
  const sorted = each.toSorted((a, b) => claimRank(a) - claimRank(b) || b.ts - a.ts)
  const needy = sorted.filter(({ check }) => check.verdict !== 'holds')
  return (needy.length > 0 ? needy : sorted).slice(0, most)
}

export interface TypeBar {
  readonly row: OutcomeRow
  /** How many types it combines, if it is the remainder. */
  readonly types: number
}

const COUNTED = ['agents', ...OUTCOMES, 'flagged'] as const

/** The most frequent types, with the rest combined into one. */
export function typeBars(rows: readonly OutcomeRow[], most: number): readonly TypeBar[] {
  const sorted = rows
    .filter(({ agents }) => agents > 0)
    .toSorted((a, b) => b.agents - a.agents || a.type.localeCompare(b.type))
  // A remainder of one type shows that type.
  const shown = sorted.length <= most + 1 ? sorted : sorted.slice(0, most)
  const rest = sorted.slice(shown.length)
  const bars = shown.map((row): TypeBar => ({ row, types: 1 }))
  if (rest.length === 0) return bars
  const sums = COUNTED.map((name) => [name, rest.reduce((sum, row) => sum + row[name], 0)])
  return [...bars, { row: { type: '', ...Object.fromEntries(sums) } as OutcomeRow, types: rest.length }]
}

/** Sorts skills that need attention first, then by use. */
export const orderSkills = (skills: readonly LedgerSkill[]): readonly LedgerSkill[] =>
  skills.toSorted(
    (a, b) =>
      Number(b.verdict === 're-extract') - Number(a.verdict === 're-extract') ||
      b.uses - a.uses ||
      b.all_uses - a.all_uses ||
      a.skill.localeCompare(b.skill),
  )

type Rules = { readonly validated_over_rate: number; readonly re_extract_under_rate: number }

const USUAL: Rules = { re_extract_under_rate: 0.6, validated_over_rate: 0.9 }

/** The success rates at which the verdict changes, the lower one first. */
export const rateMarks = ({
  rules = USUAL,
}: {
  readonly rules?: Rules | undefined
}): readonly [number, number] => [rules.re_extract_under_rate, rules.validated_over_rate]
