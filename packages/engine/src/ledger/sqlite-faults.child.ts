import { closeSync, ftruncateSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { newEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { type Ledger, openSqliteLedger } from './index.ts'

const BATCH = 200

const [, , scene, file = '', ballast = ''] = process.argv
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`)

/** Opens a ledger and says how that went, no more. */
async function open(): Promise<void> {
  const opened = await openSqliteLedger(file)
  say(opened.ok ? { ok: true } : opened)
  if (opened.ok) await opened.value.close()
}

/** Holds the ledger until it is killed. */
async function hold(): Promise<void> {
  const opened = await openSqliteLedger(file)
  say(opened.ok ? { ok: true } : opened)
  setInterval(() => undefined, 60_000)
}

/** Writes until there is no room, makes room, goes on, and says what the file holds in the end. */
async function fill(): Promise<void> {
  if (ballast) writeFileSync(ballast, Buffer.alloc(12_000_000))
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return void say(opened)
  const ledger = opened.value
  const day = newEvents({ seed: 5, events: 1_000_000 })
  const acknowledged: NewEvent[] = []
  const next = (): NewEvent[] => Array.from({ length: BATCH }, () => day.next().value as NewEvent)
  let batch = next()
  let refused = await ledger.append(batch)
  while (refused.ok) {
    acknowledged.push(...batch)
    batch = next()
    refused = await ledger.append(batch)
  }
  const full = { code: refused.code, message: refused.message, head: await ledger.head() }
  const readable = await ledger.read({ after: 0, limit: 10 })
  if (!ballast) {
    await ledger.close()
    return void say({ ...full, acknowledged: acknowledged.length })
  }
  rmSync(ballast)
  for (let round = 0; round < 5; round += 1) {
    const result = await ledger.append(batch)
    if (!result.ok) return void say({ ...full, after: result })
    acknowledged.push(...batch)
    batch = next()
  }
  await ledger.close()

  const again = await openSqliteLedger(file)
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

/** Fills the disk with a ledger and ballast, then copies it there. */
async function copyToFull(): Promise<void> {
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return void say(opened)
  for (let n = 0; n < 5; n += 1) await opened.value.append([...newEvents({ seed: n, events: 2_000 })])
  fillUp(`${file}.ballast`, 500_000)
  await sayCopied(opened.value)
}

/** Writes until there is no room, then leaves some: the ledger's own log may take more of the disk meanwhile. */
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

/** Copies the ledger that is there. */
async function copy(): Promise<void> {
  const opened = await openSqliteLedger(file)
  if (!opened.ok) return void say(opened)
  await sayCopied(opened.value)
}

async function sayCopied(ledger: Ledger): Promise<void> {
  const copied = await ledger.backup(ballast)
  const files = readdirSync(dirname(ballast))
  await ledger.close()
  say({ ...copied, files })
}

const scenes = { open, hold, fill, copy, 'copy-to-full': copyToFull }
await scenes[scene as keyof typeof scenes]()
