import type { Bus } from '@panoptes/engine/bus'
import { type Capture, type HookReader, type Intake, withAfterwards } from '@panoptes/engine/capture'
import type { EventStore } from '@panoptes/engine/store'
import { failure, type IngestReply, type Result, success } from '@panoptes/schema'
import { TOO_DEEP } from '@panoptes/schema/json'
import type { Histogram } from './metrics.ts'
import type { Flow } from './throughput.ts'

interface IngestParts {
  readonly append: EventStore['append']
  readonly capture: Capture
  readonly readers: readonly HookReader[]
  readonly flow: Flow
  readonly appendTime: Histogram
}

/** The one way into the store, for every kind of input. It counts what passes. */
export function createIntake({ append, capture, readers, flow, appendTime }: IngestParts): Intake {
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
    rejected: flow.countRejected,
  })
}

/**
 * Events count as stored once the bus has them. It is not clear by then which of them are duplicates. Marks
 * must commit together with their events, so those go to the store directly.
 */
export const appendThroughBus =
  (bus: Bus, store: EventStore): EventStore['append'] =>
  async (events, marks) => {
    if (marks !== undefined) return store.append(events, marks)
    const taken = await bus.publish(events)
    return taken.ok ? success({ accepted: events.length, duplicates: 0, last: 0 }) : taken
  }

const LONGEST_HOST = 256

/** Appends the events of a request body to the store. `from` receives the name of the computer that sent them. */
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
    const { rejected, rejectedCount, unreadCount } = captured.value
    intake.rejected(rejectedCount, rejected.at(-1))
    if (accepted + duplicates + forgotten === 0 && unreadCount > 0 && unreadCount === rejectedCount)
      return failure('invalid', `The body ${TOO_DEEP}: no event in it can be read.`)
    return success({ accepted, duplicates, ...(forgotten > 0 ? { forgotten } : {}), rejected: [...rejected] })
  }
}
