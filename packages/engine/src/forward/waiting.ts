import type { Ledger } from '@panoptes/engine/ledger'
import type { ForwardStatus, Result, StoredEvent } from '@panoptes/schema'
import { success } from '@panoptes/schema'

type Waiting = ForwardStatus['waiting']

/** So many are measured one by one; of more, as many in samples of so many rows spread over them. */
const EXACT = 500
const SAMPLES = 16
const ROWS = 32

/** What waits after a seq. Of many events the size is that of a sample, so that to ask costs the same however many they are. */
export async function measureWaiting(
  ledger: Pick<Ledger, 'read' | 'head'>,
  seq: number,
): Promise<Result<Waiting>> {
  const head = await ledger.head()
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
    const page = await ledger.read({ after, limit })
    if (!page.ok) return page
    for (const { json } of page.value.rows) bytes += Buffer.byteLength(json)
    rows += page.value.rows.length
    // Of large ones a page has a part.
    isWhole &&= page.value.next === null
    const head = page.value.rows[0]
    if (number === 0 && head) oldest = (JSON.parse(head.json) as StoredEvent).ts
  }
  const size = isWhole || rows === 0 ? bytes : Math.round((bytes / rows) * events)
  return success({ events, bytes: size, oldest_ts: oldest })
}

const spread = (from: number, events: number): readonly number[] =>
  Array.from({ length: SAMPLES }, (_, n) => from + Math.floor(((events - ROWS) * n) / (SAMPLES - 1)))
