import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type EventRow, type EventStore, openStore, spaceSchema, storeIdReader } from '@panoptes/engine/store'
import type { NewEvent, Result, StoredEvent } from '@panoptes/schema'
import { Client } from 'pg'
import { type BusOptions, openBus } from './open.ts'
import type { Bus } from './port.ts'

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

/** The parts of a hub that the bus needs, plus every row that its subscription delivered. */
export interface Hub {
  readonly store: EventStore
  readonly bus: Bus
  readonly rows: EventRow[]
  readonly close: () => Promise<void>
}

export type Place = Pick<BusOptions, 'url' | 'space' | 'mostBytes' | 'warn'> & { readonly postgres: string }

export const newSpace = (): string => `t${randomUUID().replaceAll('-', '').slice(0, 30)}`

export async function openHub({ postgres, ...bus }: Place): Promise<Hub> {
  const store = value(await openStore({ kind: 'postgres', url: postgres, space: bus.space }))
  const readStoreId = storeIdReader(postgres, bus.space)
  const opened = value(await openBus({ ...bus, store, readStoreId }))
  const end = new AbortController()
  const rows: EventRow[] = []
  const following = (async () => {
    for await (const page of opened.subscribe(0, end.signal)) rows.push(...page)
  })()
  return {
    store,
    bus: opened,
    rows,
    close: async () => {
      end.abort()
      await following
      await opened.close()
      await store.close()
    },
  }
}

export async function dropSpace(postgres: string, space: string): Promise<void> {
  const client = new Client({ connectionString: postgres })
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${spaceSchema(space)} CASCADE`)
  await client.end()
}

/** Returns one event of a publisher, which numbers its own events. */
export const publisherEvent = (publisher: string, n: number, fields: Partial<NewEvent> = {}): NewEvent => ({
  v: 1,
  key: `${publisher}:${n}`,
  ts: 1_790_000_000_000 + n,
  event: 'prompt',
  source: 'custom',
  host: publisher,
  session_id: publisher,
  n,
  ...fields,
})

/**
 * Publishes events the way a forwarder does: one batch at a time, and a rejected batch is sent again to the
 * next hub.
 */
export async function tell(
  publisher: string,
  count: number,
  hubs: readonly Pick<Bus, 'publish'>[],
  batch = 20,
): Promise<void> {
  let turn = 0
  for (let at = 0; at < count; at += batch) {
    const events = Array.from({ length: Math.min(batch, count - at) }, (_, n) =>
      publisherEvent(publisher, at + n),
    )
    for (;;) {
      const taken = await hubs[turn % hubs.length]?.publish(events)
      turn += 1
      if (taken?.ok) break
      await setTimeout(20)
    }
  }
}

export const parsed = (rows: readonly EventRow[]): StoredEvent[] =>
  rows.map(({ json }) => JSON.parse(json) as StoredEvent)

/** Returns the numbers of each publisher's events, in the order of the stored rows. */
export function numbersByHost(rows: readonly EventRow[]): Record<string, number[]> {
  const numbers: Record<string, number[]> = {}
  for (const { host, n } of parsed(rows)) {
    const list = numbers[host] ?? []
    numbers[host] = list
    list.push(Number(n))
  }
  return numbers
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
