import type { Claim } from '@panoptes/schema'
import { claimKey, isEstimate } from '../claim-check.ts'

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
