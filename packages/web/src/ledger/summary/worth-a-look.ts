import type { Claim } from '@panoptes/schema'
import { isEstimate } from '../checked.ts'

const keyOf = ({ source, session_id, message_id, place }: Claim): string =>
  JSON.stringify([source, session_id, message_id, place])

const rankOf = (claim: Claim): number => {
  const { verdict } = claim.check
  if (verdict === 'holds') return 4
  return (isEstimate(claim) ? 2 : 0) + (verdict === 'fails' ? 0 : 1)
}

/** Those that did not hold, then those that nobody could check, then estimates; what holds only where there is nothing else. */
export function worthALook(claims: readonly Claim[], most: number): readonly Claim[] {
  const each = [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()]
  const sorted = each.toSorted((a, b) => rankOf(a) - rankOf(b) || b.ts - a.ts)
  const needy = sorted.filter(({ check }) => check.verdict !== 'holds')
  return (needy.length > 0 ? needy : sorted).slice(0, most)
}
