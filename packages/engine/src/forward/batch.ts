import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import { redactEvent } from '@panoptes/engine/redact'
import { type Forwarded, type Result, type StoredEvent, success } from '@panoptes/schema'
import { travelling } from './what.ts'

const deflate = promisify(gzip)

/** How long to keep other work waiting. */
const TURN_MS = 8
/** One page of the log: an event may have 256 KB, and no more than one page stands in memory beside the batch. */
const PAGE = 100

/** Events that go together, as they go. */
export interface Batch {
  readonly lines: number
  /** The hub has everything up to here once it took this. */
  readonly last: number
  readonly bytes: number
  readonly body: Buffer<ArrayBuffer>
  /** Whether more waited behind it. */
  readonly more: boolean
}

export interface BatchLimits {
  readonly bytes: number
  readonly lines: number
}

/** The next events after a seq within the limits, at least one; where there are none, the seq up to which there is none. */
export async function nextBatch(
  ledger: Pick<Ledger, 'read' | 'head'>,
  after: number,
  what: Forwarded,
  limits: BatchLimits,
): Promise<Result<Batch | { readonly none: number }>> {
  const head = await ledger.head()
  if (!head.ok) return head
  const lines: string[] = []
  const pace = createPace()
  let bytes = 0
  let at = after
  let more = false
  for (;;) {
    const limit = Math.min(PAGE, limits.lines - lines.length)
    const page = await ledger.read({ after: at, limit })
    if (!page.ok) return page
    for (const row of page.value.rows) {
      const line = lineOf(row, what)
      const size = Buffer.byteLength(line) + 1
      if (lines.length > 0 && bytes + size > limits.bytes) {
        more = true
        break
      }
      lines.push(line)
      bytes += size
      at = row.seq
      if (pace.isDue()) await pace.pause()
    }
    if (more) break
    if (page.value.next === null) {
      // Whatever follows up to the end was forgotten.
      at = Math.max(at, head.value.last)
      break
    }
    if (page.value.rows.length === 0) at = page.value.next
    if (lines.length >= limits.lines) {
      more = true
      break
    }
  }
  if (lines.length === 0) return success({ none: at })
  const text = `${lines.join('\n')}\n`
  return success({ lines: lines.length, last: at, bytes, more, body: await compressed(text) })
}

export const compressed = async (text: string): Promise<Buffer<ArrayBuffer>> =>
  (await deflate(text)) as Buffer<ArrayBuffer>

const lineOf = ({ json }: EventRow, what: Forwarded): string =>
  JSON.stringify(redactEvent(travelling(JSON.parse(json) as StoredEvent, what)).event)

function createPace() {
  let started = performance.now()
  return {
    isDue: () => performance.now() - started > TURN_MS,
    pause: async () => {
      await setImmediate()
      started = performance.now()
    },
  }
}
