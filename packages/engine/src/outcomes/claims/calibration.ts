import type { CalibrationReply, Claim, Quantity } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import { amounts } from './amounts.ts'

const MOST_POINTS = 500
const NO_MODEL = 'unknown'

interface Compared {
  readonly claim: Claim
  readonly model: string
  readonly quantity: Quantity
  readonly claimedValue: number
  readonly took: number
}

/** Compares predictions with measurements by model and quantity, most claims first. */
export function computeCalibration(claims: Iterable<Claim>): CalibrationReply {
  const compared: Compared[] = []
  let open = 0
  for (const claim of claims) {
    if (claim.evidence_tier !== 'ESTIMATE-HTC') continue
    const { estimate } = claim
    if (estimate === null || estimate.took === null || !(estimate.said > 0)) open += 1
    else {
      const { quantity, said: claimedValue, took } = estimate
      compared.push({ claim, model: claim.model ?? NO_MODEL, quantity, claimedValue, took })
    }
  }
  return { rows: buildRows(compared), points: buildPoints(compared), open }
}

function buildRows(compared: readonly Compared[]): CalibrationReply['rows'] {
  const groups = Map.groupBy(compared, ({ model, quantity }) => `${quantity}\0${model}`)
  return [...groups.values()]
    .map((group) => {
      const [{ model, quantity }] = group as [Compared]
      const ratio = median(group.map(({ claimedValue, took }) => took / claimedValue))
      const claimedValue = median(group.map((each) => each.claimedValue))
      return {
        model,
        quantity,
        claims: group.length,
        ratio,
        says: sentence(quantity, claimedValue, ratio, group.length),
      }
    })
    .sort(
      (a, b) => b.claims - a.claims || compareText(a.model, b.model) || compareText(a.quantity, b.quantity),
    )
}

/** Describes a typical prediction and its usual result by the median ratio. */
function sentence(quantity: Quantity, claimedValue: number, ratio: number, claims: number): string {
  const [first, took] = amounts(quantity, claimedValue, claimedValue * ratio)
  return `said ${first}, took ${took}: ×${times(ratio)} over ${claims} ${claims === 1 ? 'claim' : 'claims'}`
}

function times(ratio: number): string {
  if (ratio >= 10) return String(Math.round(ratio))
  return ratio >= 1 ? ratio.toFixed(1) : String(Number(ratio.toPrecision(2)))
}

const buildPoints = (compared: readonly Compared[]): CalibrationReply['points'] =>
  compared
    .toSorted((a, b) => b.claim.ts - a.claim.ts)
    .slice(0, MOST_POINTS)
    .map(({ claim, model, quantity, claimedValue: said, took }) => ({
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
