import { type EventsPage, eventsQuery, type StoredEvent } from '@panoptes/schema'
import type { FakeServer } from '../testing/fake-server.ts'
import { status, storage } from '../testing/replies.ts'
import { createMatcher, type Filter } from './filter.ts'
import { NEWEST, type PageRange } from './list.ts'

const FIRST_TS = Date.UTC(2026, 9, 1, 12)
/** The number of events that one page searches at most. */
const MOST_SCANNED = 10_000

/** A prompt of the main agent. */
const storedEvent = (seq: number, change: Partial<StoredEvent> = {}): StoredEvent => ({
  v: 1,
  key: `k${seq}`,
  seq,
  ts: FIRST_TS + seq * 10,
  event: 'prompt',
  source: 'custom',
  host: 'workstation',
  session_id: 's1',
  agent_id: 'main',
  prompt_preview: `prompt ${seq}`,
  ...change,
})

export const prompt = (text: string, session = 's1'): Partial<StoredEvent> => ({
  prompt_preview: text,
  session_id: session,
})

/**
 * The stored events of a fake server. Initial events are created when they are read, so there can be
 * millions.
 */
export class EventLog {
  first = 1
  last: number
  readonly #make: (seq: number) => Partial<StoredEvent>
  readonly #appended = new Map<number, StoredEvent>()

  constructor(last = 0, make: (seq: number) => Partial<StoredEvent> = () => ({})) {
    this.last = last
    this.#make = make
  }

  at(seq: number): StoredEvent {
    return this.#appended.get(seq) ?? storedEvent(seq, this.#make(seq))
  }

  append(...changes: readonly Partial<StoredEvent>[]): StoredEvent[] {
    return changes.map((change) => {
      this.last += 1
      const event = storedEvent(this.last, change)
      this.#appended.set(this.last, event)
      return event
    })
  }

  /** Reads a page like the store: after enough searched events it returns where to continue. */
  page(
    range: PageRange,
    matches: (event: StoredEvent) => boolean = () => true,
    mostScanned = MOST_SCANNED,
  ): EventsPage {
    const isUpwards = 'after' in range
    const events: StoredEvent[] = []
    let at = isUpwards ? Math.max(range.after + 1, this.first) : Math.min(range.before, this.last + 1) - 1
    for (let scanned = 0; scanned < mostScanned && at >= this.first && at <= this.last; scanned += 1) {
      const event = this.at(at)
      if (matches(event)) events.push(event)
      at += isUpwards ? 1 : -1
      if (events.length === range.limit) break
    }
    const hasMore = at >= this.first && at <= this.last
    const next = hasMore ? (isUpwards ? at - 1 : at + 1) : null
    return { events, next, first: this.first, last: this.last }
  }
}

/**
 * Serves `GET /api/events` from a log and starts the stream at its end. A query that the real server would
 * refuse fails the test.
 */
export function serveEvents(server: FakeServer, log: EventLog): void {
  server.stream.snapshot = { type: 'snapshot', seq: log.last, alive: [] }
  server
    .on('GET /api/status', () => status({ storage: storage({ events: log.last, last_seq: log.last }) }))
    .on('GET /api/events', ({ query }) => {
      const read = eventsQuery.safeParse(Object.fromEntries(query))
      if (!read.success) {
        server.unhandled.push(`GET /api/events?${query}: ${read.error.message}`)
        return Response.json({ detail: read.error.message }, { status: 400 })
      }
      const { after, before = NEWEST, limit, kind, since, until, ...rest } = read.data
      const range = after === undefined ? { before, limit } : { after, limit }
      return log.page(range, createMatcher(withoutAbsent({ ...rest, kinds: kind })))
    })
}

const withoutAbsent = (filter: { readonly [F in keyof Filter]: Filter[F] | undefined }): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** Stores events and sends them over the stream. */
export function postEvents(
  server: FakeServer,
  log: EventLog,
  ...changes: readonly Partial<StoredEvent>[]
): readonly StoredEvent[] {
  const data = log.append(...changes)
  server.stream.snapshot = { type: 'snapshot', seq: log.last, alive: [] }
  server.stream.send({ type: 'batch', data })
  return data
}

const HEAD_AND_HALF_A_ROW = 28 + 12

export const drawnRows = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('tbody tr')]

/** The seq of each rendered row, from top to bottom. */
export const drawnSeqs = (): readonly number[] =>
  drawnRows().map((row) => Number(row.id.replace('event-', '')))

export const firstRowText = (): string => drawnRows()[0]?.textContent ?? ''

const grid = (): HTMLElement => {
  const found = document.querySelector<HTMLElement>('[role=grid]')
  if (!found) throw new Error('The table of events is not drawn.')
  return found
}

/** The seq of the topmost visible row. */
export function topSeq(): number {
  const box = grid().getBoundingClientRect()
  const row = document.elementFromPoint(box.left + 100, box.top + HEAD_AND_HALF_A_ROW)?.closest('tr')
  return Number(row?.id.replace('event-', ''))
}

/** Scrolls to a fraction of the list: 0 is the newest row, 1 the oldest. */
export function scrollTo(part: number): void {
  const { scrollHeight, clientHeight } = grid()
  grid().scrollTop = (scrollHeight - clientHeight) * part
}
