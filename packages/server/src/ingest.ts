import type { Bus } from '@panoptes/engine/bus'
import { type Capture, type HookReader, type Intake, withAfterwards } from '@panoptes/engine/capture'
import type { Ledger } from '@panoptes/engine/ledger'
import { type IngestReply, type Result, success } from '@panoptes/schema'
import type { Flow } from './flow.ts'
import type { Histogram } from './metrics.ts'

interface Taking {
  readonly append: Ledger['append']
  readonly capture: Capture
  readonly readers: readonly HookReader[]
  readonly flow: Flow
  readonly appendTime: Histogram
}

/** The one way into the ledger, whatever events come by: here they are counted. */
export function createIntake({ append, capture, readers, flow, appendTime }: Taking): Intake {
  return withAfterwards({
    capture,
    readers,
    append: async (events, marks) => {
      const started = performance.now()
      const appended = await append(events, marks)
      if (!appended.ok) return appended
      appendTime.observe((performance.now() - started) / 1_000)
      flow.totals.appended += appended.value.accepted
      flow.totals.duplicates += appended.value.duplicates
      return appended
    },
    rejected: flow.rejected,
  })
}

/** What the bus took is as good as stored; which of it was known already nobody can say yet. Marks commit with their events. */
export const appendBy =
  (bus: Bus, ledger: Ledger): Ledger['append'] =>
  async (events, marks) => {
    if (marks !== undefined) return ledger.append(events, marks)
    const taken = await bus.publish(events)
    return taken.ok ? success({ accepted: events.length, duplicates: 0, last: 0 }) : taken
  }

const LONGEST_HOST = 256

/** From a body to the ledger. `from` hears of the computer that it is of. */
export type Ingest = (body: Buffer, from?: (host: string) => void) => Promise<Result<IngestReply>>

export function createIngest(intake: Intake): Ingest {
  return async (body, from) => {
    let accepted = 0
    let duplicates = 0
    let forgotten = 0
    const captured = await intake.capture.normalise(body, async (events) => {
      const appended = await intake.append(events)
      if (!appended.ok) return appended
      const last = events.at(-1)
      if (last) from?.(last.host.slice(0, LONGEST_HOST))
      accepted += appended.value.accepted
      duplicates += appended.value.duplicates
      forgotten += appended.value.forgotten ?? 0
      return appended
    })
    if (!captured.ok) return captured
    const { rejected, rejectedCount } = captured.value
    intake.rejected(rejectedCount, rejected.at(-1))
    return success({ accepted, duplicates, ...(forgotten > 0 ? { forgotten } : {}), rejected: [...rejected] })
  }
}
