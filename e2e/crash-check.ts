import { countDay } from '@panoptes/engine/demo'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { NewEvent, Result, StoredEvent } from '@panoptes/schema'
import type { Stream } from './crash-stream.ts'

/** The stream of one writer, and how much of it the store has acknowledged. */
export interface Promised {
  readonly stream: Stream
  acknowledged: number
  /** How far the last append reached, acknowledged or not. */
  sent: number
}

/**
 * The expected content of the store by seq; undefined where retention deleted an event before the first check. It
 * only grows at its end.
 */
export type Log = (string | undefined)[]

function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.code}: ${result.message}`)
}

async function rowsOf(store: EventStore): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let at: number | null = 0; at !== null; ) {
    const page: Awaited<ReturnType<EventStore['read']>> = await store.read({ after: at, limit: 1_000 })
    const { rows, next } = orThrow(page)
    for (const row of rows) events.push(JSON.parse(row.json) as StoredEvent)
    at = next
  }
  return events
}

/** Opens the file like a restart, returns all faults, and adds new events to the log. */
export async function faultsOf(file: string, log: Log, promised: readonly Promised[]): Promise<string[]> {
  const opened = await openSqliteStore(file)
  if (!opened.ok) return [`does not open: ${opened.message}`]
  const store = opened.value
  try {
    const { first, last } = orThrow(await store.head())
    const events = await rowsOf(store)
    const numbering = faultsOfNumbers(events, first, last)
    if (numbering.length > 0) return numbering
    if (last < log.length) return [`had ${log.length} events, has ${last}`]
    const faults = faultsOfLog(events, log, first)
    const extents = extentsOf(log, promised)
    faults.push(...extents.faults, ...faultsOfContent(events, promised))
    const { differences } = orThrow(await store.rebuild({ check: true }))
    if (differences > 0) faults.push(`${differences} projection rows differ from a rebuild`)
    if (extents.exact) faults.push(...(await faultsOfCounters(store, promised, extents.stored)))
    return faults
  } finally {
    await store.close()
  }
}

function faultsOfNumbers(events: readonly StoredEvent[], first: number, last: number): string[] {
  if (events.length !== last - first + 1) return [`${events.length} rows for ${first} to ${last}`]
  const wrong = events.find((event, n) => event.seq !== first + n)
  return wrong ? [`seq ${wrong.seq} is out of place`] : []
}

/** Earlier events must still be there at the same seq; the others are new. */
function faultsOfLog(events: readonly StoredEvent[], log: Log, first: number): string[] {
  for (const event of events) {
    const known = log[event.seq - 1]
    if (known !== undefined && known !== event.key) return [`seq ${event.seq} was ${known}, is ${event.key}`]
  }
  while (log.length < first - 1) log.push(undefined)
  for (const event of events) log[event.seq - 1] = event.key
  const seen = log.filter((key) => key !== undefined)
  return new Set(seen).size === seen.length ? [] : ['an event is there twice']
}

interface Extents {
  readonly faults: readonly string[]
  /** How many events of each stream the store has. */
  readonly stored: readonly number[]
  /**
   * Whether `stored` is certain: events that retention removed unseen may include the unacknowledged end of a
   * stream.
   */
  readonly exact: boolean
}

/** The store must have a prefix of each stream: every acknowledged event, no unsent one, in order. */
function extentsOf(log: Log, promised: readonly Promised[]): Extents {
  const faults: string[] = []
  const places = new Map<string, readonly [number, number]>()
  promised.forEach(({ stream, sent }, n) => {
    stream.slice(0, sent).forEach((event, at) => void places.set(event.key, [n, at]))
  })
  const ends = promised.map(() => 0)
  const found = promised.map(() => 0)
  for (const key of log) {
    if (key === undefined) continue
    const place = places.get(key)
    if (place === undefined) {
      faults.push(`${key} was never sent`)
      continue
    }
    const [n, at] = place
    if (at < (ends[n] ?? 0)) faults.push(`${key} is out of order`)
    ends[n] = Math.max(ends[n] ?? 0, at + 1)
    found[n] = (found[n] ?? 0) + 1
  }
  const stored = promised.map(({ acknowledged }, n) => Math.max(acknowledged, ends[n] ?? 0))
  const missing = stored.reduce((sum, end, n) => sum + end - (found[n] ?? 0), 0)
  const unanswered = promised.reduce((sum, { sent }, n) => sum + sent - (stored[n] ?? 0), 0)
  const unseen = log.filter((key) => key === undefined).length
  if (missing > unseen) faults.push(`${missing - unseen} that were acknowledged are not there`)
  if (unseen > missing + unanswered) faults.push(`${unseen} numbers were given to ${missing} events`)
  return { faults, stored, exact: missing === unseen && faults.length === 0 }
}

function faultsOfContent(events: readonly StoredEvent[], promised: readonly Promised[]): string[] {
  const sent = new Map(
    promised.flatMap(({ stream, sent }) => stream.slice(0, sent).map((each) => [each.key, each])),
  )
  const wrong = events.find((event) => {
    const original = sent.get(event.key)
    return original !== undefined && !same(event, original)
  })
  return wrong ? [`${wrong.key} is not what was sent`] : []
}

function same(row: StoredEvent, event: NewEvent): boolean {
  const { seq: _, ...rest } = row
  const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort())
  return sorted(rest) === sorted(event)
}

/** The totals must equal a count that is independent of the store. */
async function faultsOfCounters(
  store: EventStore,
  promised: readonly Promised[],
  stored: readonly number[],
): Promise<string[]> {
  const day = countDay()
  promised.forEach(({ stream }, n) => {
    for (const event of stream.slice(0, stored[n] ?? 0)) day.add(event)
  })
  const counters = orThrow(await store.counters())
  const equal = JSON.stringify(sortKeys(counters.value)) === JSON.stringify(sortKeys(day.counters()))
  return equal ? [] : ['the counters are not what the events give']
}

const sortKeys = (value: object): unknown[] =>
  Object.entries(value)
    .map(([name, each]) => [name, typeof each === 'object' ? sortKeys(each as object) : each])
    .sort()

/** A backup must be complete or absent: a store with a prefix of the log. */
export async function faultsOfBackup(file: string, log: Log): Promise<string[]> {
  const opened = await openSqliteStore(file)
  if (!opened.ok) return [`a backup does not open: ${opened.message}`]
  const store = opened.value
  try {
    const wrong = (await rowsOf(store)).find((event) => {
      const known = log[event.seq - 1]
      return known !== undefined && known !== event.key
    })
    const { differences } = orThrow(await store.rebuild({ check: true }))
    return wrong || differences > 0 ? [`a backup differs: seq ${wrong?.seq}, ${differences} rows`] : []
  } finally {
    await store.close()
  }
}
