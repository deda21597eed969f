import type { Capture } from '@panoptes/engine/capture'
import type { Ledger } from '@panoptes/engine/ledger'
import { type IngestReply, type Result, success } from '@panoptes/schema'
import type { Flow } from './flow.ts'
import type { Histogram } from './metrics.ts'

/** From the text of a body to the ledger. */
export type Ingest = (body: string) => Promise<Result<IngestReply>>

export function createIngest(parts: {
  readonly ledger: Ledger
  readonly capture: Capture
  readonly flow: Flow
  readonly appendTime: Histogram
}): Ingest {
  const { ledger, capture, flow, appendTime } = parts
  return async (body) => {
    let accepted = 0
    let duplicates = 0
    const captured = await capture.normalise(body, async (events) => {
      const started = performance.now()
      const appended = await ledger.append(events)
      if (!appended.ok) return appended
      appendTime.observe((performance.now() - started) / 1_000)
      accepted += appended.value.accepted
      duplicates += appended.value.duplicates
      flow.totals.appended += appended.value.accepted
      flow.totals.duplicates += appended.value.duplicates
      return appended
    })
    if (!captured.ok) return captured
    const { rejected, rejectedCount } = captured.value
    flow.rejected(rejectedCount, rejected.at(-1))
    return success({ accepted, duplicates, rejected: [...rejected] })
  }
}
