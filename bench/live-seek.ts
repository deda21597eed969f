import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '@panoptes/engine/store'
import type { NewEvent, ReplayReply } from '@panoptes/schema'
import { makeHome } from '../e2e/command.ts'
import { startDaemon } from '../e2e/daemon.ts'
import { quantile } from './statistics.ts'

/** The number of events that a busy daemon stores at once. */
const BATCH = 2_000

export interface Seeks {
  readonly p50_ms: number
  readonly p95_ms: number
  readonly worst_ms: number
  /** The median number of agents in an answer. */
  readonly agents: number
  /** The disk space of a thousand events with all derived data. */
  readonly mb_a_thousand: number
}

/** Requests random moments from a daemon with a long history. */
export async function seek(events: Iterable<NewEvent>, moments: number): Promise<Seeks> {
  const home = await makeHome()
  mkdirSync(home.panoptes, { recursive: true, mode: 0o700 })
  const { first, last, count, bytes } = await fill(join(home.panoptes, 'ledger.db'), events)
  const daemon = await startDaemon({ home })
  try {
    const times: number[] = []
    const agents: number[] = []
    for (let n = 0; n < moments; n += 1) {
      const at = Math.floor(first + ((n * 0.618_034) % 1) * (last - first))
      const start = performance.now()
      const reply = await daemon.request(`/api/replay?at=${at}`)
      const text = await reply.text()
      times.push(performance.now() - start)
      if (!reply.ok) throw new Error(`GET /api/replay answered ${reply.status}: ${text}`)
      agents.push((JSON.parse(text) as ReplayReply).agents.length)
    }
    return {
      p50_ms: quantile(times, 0.5),
      p95_ms: quantile(times, 0.95),
      worst_ms: Math.max(...times),
      agents: quantile(agents, 0.5),
      mb_a_thousand: bytes / 1_048_576 / (count / 1_000),
    }
  } finally {
    await daemon.stop()
    await home.remove()
  }
}

interface Filled {
  /** The times of the first and the last event. */
  readonly first: number
  readonly last: number
  readonly count: number
  readonly bytes: number
}

async function fill(file: string, events: Iterable<NewEvent>): Promise<Filled> {
  const ledger = await openSqliteStore(file)
  if (!ledger.ok) throw new Error(ledger.message)
  let batch: NewEvent[] = []
  const store = async () => {
    const stored = await ledger.value.append(batch)
    if (!stored.ok) throw new Error(stored.message)
    batch = []
  }
  let first: number | undefined
  let last = 0
  let count = 0
  for (const event of events) {
    first ??= event.ts
    last = event.ts
    count += 1
    if (batch.push(event) === BATCH) await store()
  }
  if (batch.length > 0) await store()
  const info = await ledger.value.info()
  await ledger.value.close()
  return { first: first ?? 0, last, count, bytes: info.ok ? info.value.bytes : Number.NaN }
}
