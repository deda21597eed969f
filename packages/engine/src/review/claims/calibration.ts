import type { CalibrationReply, Claim, Quantity } from '@panoptes/schema'
import { amounts } from './amounts.ts'

const MOST_POINTS = 500
const NO_MODEL = 'unknown'

interface Compared {
  readonly claim: Claim
  readonly model: string
  readonly quantity: Quantity
  readonly said: number
  readonly took: number
}

/** What was said beforehand against what it took: by model and quantity, those with most claims first. */
export function calibrationOf(claims: Iterable<Claim>): CalibrationReply {
  const compared: Compared[] = []
  let open = 0
  for (const claim of claims) {
    if (claim.evidence_tier !== 'ESTIMATE-HTC') continue
    const { estimate } = claim
    if (estimate === null || estimate.took === null || !(estimate.said > 0)) open += 1
    else {
      const { quantity, said, took } = estimate
      compared.push({ claim, model: claim.model ?? NO_MODEL, quantity, said, took })
    }
  }
  return { rows: rowsOf(compared), points: pointsOf(compared), open }
}

function rowsOf(compared: readonly Compared[]): CalibrationReply['rows'] {
  const groups = Map.groupBy(compared, ({ model, quantity }) => `${quantity}\0${model}`)
  return [...groups.values()]
    .map((group) => {
      const [{ model, quantity }] = group as [Compared]
      const ratio = median(group.map(({ said, took }) => took / said))
      const said = median(group.map((each) => each.said))
      return {
        model,
        quantity,
        claims: group.length,
        ratio,
        says: sentence(quantity, said, ratio, group.length),
      }
    })
    .sort((a, b) => b.claims - a.claims || compare(a.model, b.model) || compare(a.quantity, b.quantity))
}

/** What is typically said, and what that takes by the median of the ratios. */
function sentence(quantity: Quantity, said: number, ratio: number, claims: number): string {
  const [first, took] = amounts(quantity, said, said * ratio)
  return `said ${first}, took ${took}: ×${times(ratio)} over ${claims} ${claims === 1 ? 'claim' : 'claims'}`
}

function times(ratio: number): string {
  if (ratio >= 10) return String(Math.round(ratio))
  return ratio >= 1 ? ratio.toFixed(1) : String(Number(ratio.toPrecision(2)))
}

const pointsOf = (compared: readonly Compared[]): CalibrationReply['points'] =>
  compared
    .toSorted((a, b) => b.claim.ts - a.claim.ts)
    .slice(0, MOST_POINTS)
    .map(({ claim, model, quantity, said, took }) => ({
      model,
      quantity,
      said,
      took,
      value: claim.value,
      evidence: claim.estimate?.evidence ?? {
        source: claim.source,
        session_id: claim.session_id,
        agent_id: claim.agent_id,
        n: claim.n,
        tool_use_id: null,
        quote: null,
      },
    }))

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
