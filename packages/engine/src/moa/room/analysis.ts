import type { TraceRecord, TurnAnalysis } from '@panoptes/schema'
import { analyse } from '../analysis/analyse.ts'

/** How the answer of a turn and what its references said last are alike; nothing where there are no texts. */
export async function analysisOf(records: readonly TraceRecord[]): Promise<TurnAnalysis | null> {
  const asked = records.findLast(({ references }) => references.length > 0)
  if (asked === undefined) return null
  const answer = records.findLast(({ aggregator }) => aggregator.output !== null)?.aggregator.output ?? ''
  return analyse(
    answer,
    asked.references.map(({ output, error }) => (error === null ? output : null)),
  )
}
