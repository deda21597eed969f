import { setTimeout } from 'node:timers/promises'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { openPostgresStore } from './postgres/postgres-store.ts'

const BATCH = 40

const [, , scene, url = '', schema = '', ...args] = process.argv
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`)

const opened = await openPostgresStore({ url, schema, partition: 2_500 })
if (!opened.ok) throw new Error(opened.message)
const store = opened.value

/** Stores its share of a day. Like a hub, it sends events again that were not acknowledged. */
async function write(): Promise<void> {
  const [seed = 0, count = 0, of = 1, share = 0] = args.map(Number)
  const mine = [...generateNewEvents({ seed, events: count })].filter((_, n) => n % of === share)
  for (let at = 0; at < mine.length; at += BATCH) {
    const batch: readonly NewEvent[] = mine.slice(at, at + BATCH)
    for (;;) {
      const stored = await store.append(batch, { [`writer ${share}`]: String(at + batch.length) })
      if (stored.ok) break
      if (stored.code !== 'busy') throw new Error(`${stored.code}: ${stored.message}`)
      await setTimeout(20)
    }
    say({ acknowledged: batch.map(({ key }) => key) })
  }
  await store.close()
}

/** Reports every row that it receives, up to a seq. */
async function follow(): Promise<void> {
  const [upTo = 0] = args.map(Number)
  const end = new AbortController()
  for await (const rows of store.subscribe(0, end.signal)) {
    say({ seqs: rows.map(({ seq }) => seq) })
    if ((rows.at(-1)?.seq ?? 0) >= upTo) end.abort()
  }
  await store.close()
}

const scenes = { write, follow }
await scenes[scene as keyof typeof scenes]()
