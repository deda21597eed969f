import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent, StoredEvent } from '@panoptes/schema'
import type { EventFilter, EventRow, EventStore } from '../port.ts'
import { value } from './lab.ts'

const START = Date.UTC(2026, 8, 15, 9)

/** Creates an event with a key of its own and a time that grows with its number. */
export const event = (number: number, fields: Partial<NewEvent> = {}): NewEvent => ({
  v: 1,
  key: `custom:s1:e${number}:prompt`,
  ts: START + number,
  event: 'prompt',
  source: 'custom',
  host: 'studio',
  session_id: 's1',
  ...fields,
})

export const events = (count: number, prefix = 'e'): NewEvent[] =>
  Array.from({ length: count }, (_, n) => event(n, { key: `custom:s1:${prefix}${n}:prompt`, number: n }))

export const day = (seed: number, count: number): NewEvent[] => [
  ...generateNewEvents({ seed, events: count }),
]

/** Returns the events that a store must hold after this list was appended to an empty one, in order. */
export const numbered = (list: readonly NewEvent[], after = 0): StoredEvent[] =>
  list.map((each, index) => ({ ...each, seq: after + index + 1 }))

export const parse = (row: EventRow): StoredEvent => JSON.parse(row.json) as StoredEvent

export async function appendAll(store: EventStore, list: readonly NewEvent[], size = 1_000): Promise<void> {
  for (let at = 0; at < list.length; at += size) value(await store.append(list.slice(at, at + size)))
}

/** Follows the cursors to the end, and fails if they do not lead there. */
export async function readAll(
  store: EventStore,
  options: { readonly filter?: EventFilter; readonly limit?: number; readonly down?: boolean } = {},
): Promise<EventRow[]> {
  const { filter, limit = 500, down = false } = options
  const rows: EventRow[] = []
  let at: number | null = down ? value(await store.head()).last + 1 : 0
  while (at !== null) {
    const page: { rows: readonly EventRow[]; next: number | null } = value(
      await store.read(down ? { before: at, limit } : { after: at, limit }, filter),
    )
    if (page.rows.length > limit)
      throw new Error(`a page of ${page.rows.length} rows for a limit of ${limit}`)
    if (page.next !== null && (down ? page.next >= at : page.next <= at))
      throw new Error(`the cursor stays at ${at}`)
    rows.push(...page.rows)
    at = page.next
  }
  return rows
}

export const readEvents = async (...of: Parameters<typeof readAll>): Promise<StoredEvent[]> =>
  (await readAll(...of)).map(parse)

/** Returns the first rows of a subscription and then ends it. */
export async function take(store: EventStore, after: number, count: number): Promise<EventRow[]> {
  const rows: EventRow[] = []
  if (count === 0) return rows
  const end = new AbortController()
  for await (const page of store.subscribe(after, end.signal)) {
    rows.push(...page)
    if (rows.length >= count) end.abort()
  }
  return rows
}
