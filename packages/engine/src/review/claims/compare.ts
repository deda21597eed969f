import type { Claim, ClaimCheck, Estimate, Evidence } from '@panoptes/schema'
import { short } from '../ran/quote.ts'
import { amounts } from './amounts.ts'
import { type Estimated, estimatedIn } from './estimated.ts'
import { open } from './judge.ts'
import { LaterClaims } from './later-claims.ts'
import type { Took } from './measured.ts'

/** An estimate holds that was at most twice too high or too low. */
const FAR_OFF = 2

/** Estimates with what was measured for the same thing: by a later claim, else by what was seen. Others stay as they are. */
export function compareEstimates(
  claims: readonly Claim[],
  estimates: ReadonlyMap<number, Estimated>,
  measured: ReadonlyMap<number, Took>,
): readonly Claim[] {
  const ranks = ranksOf(claims)
  const later = new LaterClaims(statedAmounts(claims, ranks))
  return claims.map((claim, place) => {
    if (claim.evidence_tier !== 'ESTIMATE-HTC') return claim
    const estimated = estimates.get(place)
    if (estimated === undefined)
      return { ...claim, check: open('It has no amount to compare.'), estimate: null }
    const stated = later.after(ranks[place] as number, estimated)
    const seen = measured.get(place)
    const known = stated === undefined ? seen && bySeen(claim, seen) : byClaim(stated.claim, stated.amount)
    return { ...claim, ...compared(claim, estimated, known) }
  })
}

/** Which of all claims each was in the order of time: sub-agents are read after or before those they work for. */
function ranksOf(claims: readonly Claim[]): readonly number[] {
  const ranks = new Array<number>(claims.length)
  const order = [...claims.keys()].sort((a, b) => (claims[a] as Claim).ts - (claims[b] as Claim).ts || a - b)
  for (const [rank, place] of order.entries()) ranks[place] = rank
  return ranks
}

/** What was claimed to be measured and holds, or cannot be looked up; in the order of time. */
function statedAmounts(
  claims: readonly Claim[],
  ranks: readonly number[],
): ReadonlyMap<number, { readonly claim: Claim; readonly amount: Estimated }> {
  const stated: [number, { readonly claim: Claim; readonly amount: Estimated }][] = []
  for (const [place, claim] of claims.entries()) {
    const { verdict, evidence } = claim.check
    if (claim.evidence_tier === 'ESTIMATE-HTC' || verdict === 'fails') continue
    // It points to something that does not bear it out.
    if (verdict === 'open' && evidence !== null) continue
    const amount = estimatedIn(claim.value)
    if (amount !== undefined) stated.push([ranks[place] as number, { claim, amount }])
  }
  return new Map(stated.sort(([a], [b]) => a - b))
}

interface Known {
  readonly took: number
  readonly evidence: Evidence
}

const byClaim = ({ source, session_id, agent_id, n, value }: Claim, { said }: Estimated): Known => ({
  took: said,
  evidence: { source, session_id, agent_id, n, tool_use_id: null, quote: short(value) },
})

const bySeen = ({ source, session_id }: Claim, { took, agent, n, call }: Took): Known => ({
  took,
  evidence: { source, session_id, agent_id: agent, n, tool_use_id: call, quote: null },
})

function compared(
  { check }: Claim,
  { quantity, said }: Estimated,
  known: Known | undefined,
): { readonly check: ClaimCheck; readonly estimate: Estimate } {
  if (known === undefined) return { check, estimate: { quantity, said, took: null, evidence: null } }
  const { took, evidence } = known
  const ratio = took / said
  const [amount] = amounts(quantity, took)
  const verdict = ratio <= FAR_OFF && ratio >= 1 / FAR_OFF ? 'holds' : 'fails'
  return {
    check: { verdict, says: quantity === 'duration' ? `Took ${amount}` : `Measured ${amount}`, evidence },
    estimate: { quantity, said, took, evidence },
  }
}
