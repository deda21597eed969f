import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { type EventStore, openSqliteStore } from './index.ts'

const BATCH = 200

const [, , scene, file = '', ballast = ''] = process.argv
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`)

/** Opens a store and reports only the result. */
async function open(): Promise<void> {
  const opened = await openSqliteStore(file)
  say(opened.ok ? { ok: true } : opened)
  if (opened.ok) await opened.value.close()
}

/** Holds the store until the process is killed. */
async function hold(): Promise<void> {
  const opened = await openSqliteStore(file)
  say(opened.ok ? { ok: true } : opened)
  setInterval(() => undefined, 60_000)
}

/** Writes until the disk is full, makes room, continues, and reports what the file holds in the end. */
async function fill(): Promise<void> {
  if (ballast) writeFileSync(ballast, Buffer.alloc(12_000_000))
  const opened = await openSqliteStore(file)
  if (!opened.ok) return void say(opened)
  const store = opened.value
  const day = generateNewEvents({ seed: 5, events: 1_000_000 })
  const acknowledged: NewEvent[] = []
  const next = (): NewEvent[] => Array.from({ length: BATCH }, () => day.next().value as NewEvent)
  let batch = next()
  let refused = await store.append(batch)
  while (refused.ok) {
    acknowledged.push(...batch)
    batch = next()
    refused = await store.append(batch)
  }
  const full = { code: refused.code, message: refused.message, head: await store.head() }
  const readable = await store.read({ after: 0, limit: 10 })
  if (!ballast) {
    await store.close()
    return void say({ ...full, acknowledged: acknowledged.length })
  }
  rmSync(ballast)
  for (let round = 0; round < 5; round += 1) {
    const result = await store.append(batch)
    if (!result.ok) return void say({ ...full, after: result })
    acknowledged.push(...batch)
    batch = next()
  }
  await store.close()

  const again = await openSqliteStore(file)
  if (!again.ok) return void say(again)
  const keys: unknown[] = []
  for (let at: number | null = 0; at !== null; ) {
    const page = await again.value.read({ after: at, limit: 1_000 })
    if (!page.ok) return void say(page)
    keys.push(...page.value.rows.map((row) => (JSON.parse(row.json) as NewEvent).key))
    at = page.value.next
  }
  const rebuilt = await again.value.rebuild({ check: true })
  await again.value.close()
  say({
    ...full,
    readable: readable.ok && readable.value.rows.length,
    acknowledged: acknowledged.length,
    kept: keys.length,
    same: JSON.stringify(keys) === JSON.stringify(acknowledged.map((event) => event.key)),
    differences: rebuilt.ok ? rebuilt.value.differences : rebuilt,
  })
}

/** Fills the disk with a store and ballast, then makes a copy there. */
async function copyToFull(): Promise<void> {
  const opened = await openSqliteStore(file)
  if (!opened.ok) return void say(opened)
  for (let n = 0; n < 5; n += 1) await opened.value.append([...generateNewEvents({ seed: n, events: 2_000 })])
  fillUp(`${file}.ballast`, 500_000)
  await sayCopied(opened.value)
}

/**
 * Writes until the disk is full, then frees some space, since the store's own log may take more of the disk
 * meanwhile.
 */
function fillUp(path: string, left: number): void {
  const output = openSync(path, 'w')
  let size = 0
  try {
    for (;;) size += writeSync(output, Buffer.alloc(65_536))
  } catch {
    ftruncateSync(output, Math.max(0, size - left))
  }
  closeSync(output)
}

/** Copies the existing store. */
async function copy(): Promise<void> {
  const opened = await openSqliteStore(file)
  if (!opened.ok) return void say(opened)
  await sayCopied(opened.value)
}

async function sayCopied(store: EventStore): Promise<void> {
  const copied = await store.backup(ballast)
  const files = readdirSync(dirname(ballast))
  await store.close()
  say({ ...copied, files })
}

const scenes = { open, hold, fill, copy, 'copy-to-full': copyToFull }
await scenes[scene as keyof typeof scenes]()
