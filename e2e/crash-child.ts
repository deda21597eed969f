import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { type Life, type Said, Stream } from './crash-stream.ts'

const life = JSON.parse(process.argv[2] ?? '') as Life
const STDOUT = 1

/** Writes synchronously, so that each line has left the process before a kill. A full pipe blocks. */
function say(line: Said): void {
  let left = Buffer.from(`${JSON.stringify(line)}\n`)
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(STDOUT, left))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    }
  }
}

function orDie<T>(result: Result<T>): T {
  if (result.ok) return result.value
  say({ failed: `${result.code}: ${result.message}` })
  process.exit(1)
}

let state = life.seed >>> 0
function chance(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 0x1_0000_0000
}

/** Returns the size of the next append, which is mostly small and sometimes large. */
const size = (): number => 1 + Math.floor(chance() ** 3 * (chance() < 0.05 ? 1_500 : 60))

async function write(store: EventStore, writer: number, stream: Stream, start: number): Promise<never> {
  let from = start
  for (;;) {
    const count = size()
    const batch = stream.slice(from, from + count)
    say({ sent: writer, from, count })
    const { last } = orDie(await store.append(batch))
    say({ acknowledged: writer, from, count, last })
    from += count
  }
}

async function chores(store: EventStore): Promise<void> {
  for (let done = 1; life.chore !== 'none'; done += 1) {
    if (life.chore === 'rebuild') orDie(await store.rebuild({ check: chance() < 0.3 }))
    if (life.chore === 'retain') await dropSome(store)
    if (life.chore === 'backup') orDie(await store.backup(join(life.copies, `${life.seed}-${done}.db`)))
    say({ chores: done })
  }
}

async function dropSome(store: EventStore): Promise<void> {
  const { first, last } = orDie(await store.head())
  const keep = Math.floor((last - first) * (0.5 + chance() * 0.5))
  const page = orDie(await store.read({ after: last - keep, limit: 1 }))
  const oldest = page.rows[0]
  const before = oldest === undefined ? 0 : (JSON.parse(oldest.json) as { ts: number }).ts
  orDie(await store.retain({ before }))
}

const store = orDie(await openSqliteStore(life.file))
say({ ready: true })
void chores(store)
await Promise.all(life.writers.map(({ seed, from }, n) => write(store, n, new Stream(seed), from)))
