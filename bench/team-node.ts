import { setTimeout } from 'node:timers/promises'
import { openBus } from '@panoptes/engine/bus'
import { generateNewEvents } from '@panoptes/engine/demo'
import { openStore, storeIdReader } from '@panoptes/engine/store'
import type { NewEvent, Result } from '@panoptes/schema'
import { orThrow } from './report.ts'

/**
 * Acts as a hub toward the database and the bus, and nothing else: it stores small batches at a fixed pace
 * and follows all stored events. It starts at the given time, and reports how long each event took to arrive.
 */
const [, , url = '', nats = '', seed = '', rate = '', batch = '', seconds = ''] = process.argv
const now = (): number => performance.timeOrigin + performance.now()

const ledger = orThrow(await openStore({ kind: 'postgres', url, space: 'main' }))
const readStoreId = storeIdReader(url, 'main')
const bus =
  nats === '' ? undefined : orThrow(await openBus({ url: nats, space: 'main', store: ledger, readStoreId }))
const take = async (events: readonly NewEvent[]): Promise<Result<unknown>> =>
  bus ? bus.publish(events) : ledger.append(events)

const end = new AbortController()
const waits: number[] = []
let failed = 0
const head = orThrow(await ledger.head())
const following = (async () => {
  for await (const rows of (bus ?? ledger).subscribe(head.last, end.signal)) {
    const here = now()
    for (const { json } of rows) waits.push(here - Number(/"mark":"([\d.]+)"/.exec(json)?.[1]))
  }
})()

process.stdout.write('ready\n')
const [word] = await new Promise<[Buffer]>((resolve) => process.stdin.once('data', (data) => resolve([data])))
const began = Number(String(word))
const events = [
  ...generateNewEvents({ seed: Number(seed), events: Math.round(Number(rate) * Number(seconds)) }),
]
const size = Number(batch)
const under = new Set<Promise<void>>()
for (let at = 0; at < events.length; at += size) {
  const early = began + (at / Number(rate)) * 1_000 - now()
  if (early > 1) await setTimeout(early)
  const mark = now().toFixed(2)
  const some = events
    .slice(at, at + size)
    .map((event) => ({ ...event, key: `${event.key}#${process.pid}`, mark }))
  const taking = take(some).then((taken) => {
    if (!taken.ok) failed += some.length
    under.delete(taking)
  })
  under.add(taking)
}
await Promise.all(under)
process.stdout.write(`${JSON.stringify({ done: now() })}\n`)
await new Promise((resolve) => process.stdin.once('data', resolve))
end.abort()
await following
process.stdout.write(`${JSON.stringify({ waits: waits.map(Math.round), failed })}\n`)
await bus?.close()
await ledger.close()
