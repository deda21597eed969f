import type { EventStore } from '@panoptes/engine/store'
import type { ForwardStatus, Result, StoredEvent } from '@panoptes/schema'
import { success } from '@panoptes/schema'

type Waiting = ForwardStatus['waiting']

/** Up to this many rows are measured exactly. A larger backlog is estimated from samples spread over it. */
const EXACT = 500
const SAMPLES = 16
const ROWS = 32

/**
 * Measures the events after a seq. The size of a large backlog is extrapolated from samples, so that the cost
 * does not depend on its length.
 */
export async function measureWaiting(
  store: Pick<EventStore, 'read' | 'head'>,
  seq: number,
): Promise<Result<Waiting>> {
  const head = await store.head()
  if (!head.ok) return head
  const { first, last } = head.value
  const from = Math.max(seq, first - 1)
  const events = Math.max(0, last - from)
  if (events === 0) return success({ events: 0, bytes: 0, oldest_ts: null })
  const places = events <= EXACT ? [from] : spread(from, events)
  const limit = events <= EXACT ? EXACT : ROWS
  let rows = 0
  let bytes = 0
  let oldest: number | null = null
  let isWhole = events <= EXACT
  for (const [number, after] of places.entries()) {
    const page = await store.read({ after, limit })
    if (!page.ok) return page
    for (const { json } of page.value.rows) bytes += Buffer.byteLength(json)
    rows += page.value.rows.length
    // A page may be cut short when its events are large.
    isWhole &&= page.value.next === null
    const head = page.value.rows[0]
    if (number === 0 && head) oldest = (JSON.parse(head.json) as StoredEvent).ts
  }
  const size = isWhole || rows === 0 ? bytes : Math.round((bytes / rows) * events)
  return success({ events, bytes: size, oldest_ts: oldest })
}

const spread = (from: number, events: number): readonly number[] =>
  Array.from({ length: SAMPLES }, (_, n) => from + Math.floor(((events - ROWS) * n) / (SAMPLES - 1)))
