import { countDay } from '@panoptes/engine/demo'
import { type Ledger, openSqliteLedger } from '@panoptes/engine/ledger'
import type { NewEvent, Result, StoredEvent } from '@panoptes/schema'
import type { Stream } from './crash-stream.ts'

/** One writer's stream and how much of it the ledger has acknowledged. */
export interface Promised {
  readonly stream: Stream
  acknowledged: number
  /** How far the last append reached, answered or not. */
  sent: number
}

/** What the ledger is known to hold: never changes but at its end. */
export type Log = string[]

function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.code}: ${result.message}`)
}

async function rowsOf(ledger: Ledger): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let at: number | null = 0; at !== null; ) {
    const page: Awaited<ReturnType<Ledger['read']>> = await ledger.read({ after: at, limit: 1_000 })
    const { rows, next } = orThrow(page)
    for (const row of rows) events.push(JSON.parse(row.json) as StoredEvent)
    at = next
  }
  return events
}

/** Opens the file as a restart would and says everything that is not as it must be; extends the log with what is new. */
export async function faultsOf(file: string, log: Log, promised: readonly Promised[]): Promise<string[]> {
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return [`does not open: ${opened.message}`]
  const ledger = opened.value
  try {
    const { first, last } = orThrow(await ledger.head())
    const events = await rowsOf(ledger)
    const numbering = faultsOfNumbers(events, first, last)
    if (numbering.length > 0) return numbering
    if (last < log.length) return [`had ${log.length} events, has ${last}`]
    return [
      ...faultsOfLog(events, log),
      ...faultsOfStreams(log, events, promised),
      ...(await faultsOfProjections(ledger, log, promised)),
    ]
  } finally {
    await ledger.close()
  }
}

function faultsOfNumbers(events: readonly StoredEvent[], first: number, last: number): string[] {
  if (events.length !== last - first + 1) return [`${events.length} rows for ${first} to ${last}`]
  const wrong = events.find((event, n) => event.seq !== first + n)
  return wrong ? [`seq ${wrong.seq} is out of place`] : []
}

/** What was there before is there still, at the same place; the rest is new. */
function faultsOfLog(events: readonly StoredEvent[], log: Log): string[] {
  for (const event of events) {
    const known = log[event.seq - 1]
    if (known !== undefined && known !== event.key) return [`seq ${event.seq} was ${known}, is ${event.key}`]
  }
  const known = log.length
  for (const event of events) if (event.seq > known) log.push(event.key)
  return new Set(log).size === log.length ? [] : ['an event is there twice']
}

/** Of each stream the ledger holds a beginning: all that was acknowledged, nothing that was never sent, in order. */
function faultsOfStreams(log: Log, events: readonly StoredEvent[], promised: readonly Promised[]): string[] {
  const faults: string[] = []
  const stored = new Map(events.map((event) => [event.key, event]))
  const streamOf = new Map<string, number>()
  promised.forEach(({ stream, sent }, n) => {
    for (const event of stream.slice(0, sent)) streamOf.set(event.key, n)
  })
  const found = promised.map((): string[] => [])
  for (const key of log) {
    const place = streamOf.get(key)
    if (place === undefined) faults.push(`${key} was never sent`)
    else found[place]?.push(key)
  }
  promised.forEach(({ stream, acknowledged }, n) => {
    const keys = found[n] ?? []
    if (keys.length < acknowledged) faults.push(`${acknowledged} were acknowledged, ${keys.length} are there`)
    stream.slice(0, keys.length).forEach((event, place) => {
      if (keys[place] !== event.key) faults.push(`${event.key} is out of order`)
      const row = stored.get(event.key)
      if (row && !same(row, event)) faults.push(`${event.key} is not what was sent`)
    })
  })
  return faults
}

function same(row: StoredEvent, event: NewEvent): boolean {
  const { seq: _, ...rest } = row
  const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort())
  return sorted(rest) === sorted(event)
}

/** The projections equal a rebuild, and the totals equal a count that knows nothing of the ledger. */
async function faultsOfProjections(
  ledger: Ledger,
  log: Log,
  promised: readonly Promised[],
): Promise<string[]> {
  const { differences } = orThrow(await ledger.rebuild({ check: true }))
  const faults = differences === 0 ? [] : [`${differences} projection rows differ from a rebuild`]
  const events = new Map<string, NewEvent>()
  for (const { stream, sent } of promised)
    for (const event of stream.slice(0, sent)) events.set(event.key, event)
  const day = countDay()
  for (const key of log) {
    const event = events.get(key)
    if (event) day.add(event)
  }
  const counters = orThrow(await ledger.counters())
  const expected = JSON.stringify(sortKeys(day.counters()))
  if (JSON.stringify(sortKeys(counters.value)) !== expected)
    faults.push('the counters are not what the events give')
  return faults
}

const sortKeys = (value: object): unknown[] =>
  Object.entries(value)
    .map(([name, each]) => [name, typeof each === 'object' ? sortKeys(each as object) : each])
    .sort()

/** A backup is there whole or not at all: a ledger that holds a beginning of the log. */
export async function faultsOfBackup(file: string, log: Log): Promise<string[]> {
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return [`a backup does not open: ${opened.message}`]
  const ledger = opened.value
  try {
    const wrong = (await rowsOf(ledger)).find((event) => log[event.seq - 1] !== event.key)
    const { differences } = orThrow(await ledger.rebuild({ check: true }))
    return wrong || differences > 0 ? [`a backup differs: seq ${wrong?.seq}, ${differences} rows`] : []
  } finally {
    await ledger.close()
  }
}
