import type { Claim, ClaimCheck, Estimate, Evidence, Quantity } from '@panoptes/schema'
import { short } from '../tool-calls/quote.ts'
import { amounts } from './amounts.ts'
import { open } from './call-verdict.ts'
import type { Took } from './estimate-measurement.ts'
import { type Estimated, estimatedIn } from './estimate-value.ts'

/** An estimate holds if it was off by at most this factor. */
const FAR_OFF = 2

/**
 * Compares estimates with measurements of the same thing: a later claim, otherwise an observation.
 * Other estimates stay as they are.
 */
export function compareEstimates(
  claims: readonly Claim[],
  estimates: ReadonlyMap<number, Estimated>,
  measured: ReadonlyMap<number, Took>,
): readonly Claim[] {
  const ranks = rankByTime(claims)
  const later = new LaterClaims(measuredAmounts(claims, ranks))
  return claims.map((claim, place) => {
    if (claim.evidence_tier !== 'ESTIMATE-HTC') return claim
    const estimated = estimates.get(place)
    if (estimated === undefined)
      return { ...claim, check: open('It has no amount to compare.'), estimate: null }
    const laterClaim = later.after(ranks[place] as number, estimated)
    const seen = measured.get(place)
    const actual =
      laterClaim === undefined ? seen && bySeen(claim, seen) : byClaim(laterClaim.claim, laterClaim.amount)
    return { ...claim, ...compareFigures(claim, estimated, actual) }
  })
}

/** Ranks all claims by time, because sub-agents may be read before or after their parents. */
function rankByTime(claims: readonly Claim[]): readonly number[] {
  const ranks = new Array<number>(claims.length)
  const order = [...claims.keys()].sort((a, b) => (claims[a] as Claim).ts - (claims[b] as Claim).ts || a - b)
  for (const [rank, place] of order.entries()) ranks[place] = rank
  return ranks
}

/** Returns the measured claims that hold or cannot be checked, ordered by time. */
function measuredAmounts(
  claims: readonly Claim[],
  ranks: readonly number[],
): ReadonlyMap<number, { readonly claim: Claim; readonly amount: Estimated }> {
  const entries: [number, { readonly claim: Claim; readonly amount: Estimated }][] = []
  for (const [place, claim] of claims.entries()) {
    const { verdict, evidence } = claim.check
    if (claim.evidence_tier === 'ESTIMATE-HTC' || verdict === 'fails') continue
    // The claim refers to something that does not confirm it.
    if (verdict === 'open' && evidence !== null) continue
    const amount = estimatedIn(claim.value)
    if (amount !== undefined) entries.push([ranks[place] as number, { claim, amount }])
  }
  return new Map(entries.sort(([a], [b]) => a - b))
}

interface Actual {
  readonly took: number
  readonly evidence: Evidence
}

const byClaim = (
  { source, session_id, agent_id, n, value }: Claim,
  { said: claimedValue }: Estimated,
): Actual => ({
  took: claimedValue,
  evidence: { source, session_id, agent_id, n, tool_use_id: null, quote: short(value) },
})

const bySeen = ({ source, session_id }: Claim, { took, agent, n, call }: Took): Actual => ({
  took,
  evidence: { source, session_id, agent_id: agent, n, tool_use_id: call, quote: null },
})

function compareFigures(
  { check }: Claim,
  { quantity, said: claimedValue }: Estimated,
  actual: Actual | undefined,
): { readonly check: ClaimCheck; readonly estimate: Estimate } {
  if (actual === undefined)
    return { check, estimate: { quantity, said: claimedValue, took: null, evidence: null } }
  const { took, evidence } = actual
  const ratio = took / claimedValue
  const [amount] = amounts(quantity, took)
  const verdict = ratio <= FAR_OFF && ratio >= 1 / FAR_OFF ? 'holds' : 'fails'
  return {
    check: { verdict, says: quantity === 'duration' ? `Took ${amount}` : `Measured ${amount}`, evidence },
    estimate: { quantity, said: claimedValue, took, evidence },
  }
}

/** A number that was claimed to be measured. */
interface MeasuredClaim {
  readonly claim: Claim
  readonly amount: Estimated
}

/**
 * Measured claims, indexed by their subjects, so that the first one after an estimate is found
 * without scanning all.
 */
class LaterClaims {
  readonly #places = new Map<string, number[]>()
  readonly #claims: ReadonlyMap<number, MeasuredClaim>

  /** The claims must be keyed and ordered by their rank in time. */
  constructor(claims: ReadonlyMap<number, MeasuredClaim>) {
    this.#claims = claims
    for (const [place, { amount }] of claims) {
      const words = subjectsBeside(amount)
      for (const word of words) this.#put(toKey(amount, word), place)
      if (words.length === 0) this.#put(toKey(amount, ''), place)
      this.#put(toKey(amount, '*'), place)
    }
  }

  /**
   * Returns the first claim after an estimate with the same quantity and subject; for a count, also
   * with the same noun.
   */
  after(place: number, estimate: Estimated): MeasuredClaim | undefined {
    const words = subjectsBeside(estimate)
    // If one side names only what is counted, that noun is the common key.
    const keys = estimate.quantity === 'count' && words.length === 0 ? ['*'] : [...words]
    if (estimate.quantity === 'count') keys.push('')
    let first: number | undefined
    for (const word of keys) {
      const next = this.#firstLike(estimate, word, place)
      if (next !== undefined && (first === undefined || next < first)) first = next
    }
    return first === undefined ? undefined : this.#claims.get(first)
  }

  #firstLike(estimate: Estimated, word: string, place: number): number | undefined {
    const places = this.#places.get(toKey(estimate, word)) ?? []
    const from = firstAfter(places, place)
    return places.slice(from, from + MOST_TRIED).find((each) => {
      const amount = this.#claims.get(each)?.amount
      return amount !== undefined && isOfTheSame(estimate, amount)
    })
  }

  #put(key: string, place: number): void {
    const places = this.#places.get(key)
    if (places === undefined) this.#places.set(key, [place])
    else places.push(place)
  }
}

const subjectsBeside = ({ subjects, noun }: Estimated): readonly string[] =>
  [...subjects].filter((word) => word !== noun)

const toKey = (
  { quantity, noun }: { readonly quantity: Quantity; readonly noun: string | undefined },
  word: string,
): string => `${quantity}\0${quantity === 'count' ? (noun ?? '') : ''}\0${word}`

/** The number of claims per word that are compared. */
const MOST_TRIED = 64
/** A larger ratio means that they are about different things. */
const FARTHEST = 100

/**
 * Requires half of the words of the longer subject: `migration file parsed` is not the migration.
 */
function isOfTheSame(estimate: Estimated, { said: claimedValue, ...later }: Estimated): boolean {
  if (claimedValue > FARTHEST * estimate.said || claimedValue * FARTHEST < estimate.said) return false
  const [own, other] = [subjectsBeside(estimate), subjectsBeside({ said: claimedValue, ...later })]
  const shared = own.filter((word) => other.includes(word)).length
  return own.length === 0 || other.length === 0 || 2 * shared >= Math.max(own.length, other.length)
}

/** Returns the index of the first number above another. */
function firstAfter(sorted: readonly number[], place: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const mid = (low + high) >> 1
    if ((sorted[mid] as number) > place) high = mid
    else low = mid + 1
  }
  return low
}
