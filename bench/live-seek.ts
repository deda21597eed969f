import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { newEvents } from '@panoptes/engine/demo'
import { openSqliteLedger } from '@panoptes/engine/ledger'
import type { NewEvent, ReplayReply } from '@panoptes/schema'
import { makeHome } from '../e2e/command.ts'
import { startDaemon } from '../e2e/daemon.ts'
import { quantile } from './figures.ts'

const BATCH = 5_000

export interface Seeks {
  readonly p50_ms: number
  readonly p95_ms: number
  readonly worst_ms: number
  /** How many agents an answer has, in the middle. */
  readonly agents: number
}

/** Asks a daemon with a long history for random moments of it. */
export async function seek(events: number, moments: number): Promise<Seeks> {
  const home = await makeHome()
  mkdirSync(home.panoptes, { recursive: true, mode: 0o700 })
  const [first, last] = await fill(join(home.panoptes, 'ledger.db'), events)
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
    }
  } finally {
    await daemon.stop()
    await home.remove()
  }
}

/** Gives the time of the first event and of the last. */
async function fill(file: string, events: number): Promise<readonly [number, number]> {
  const ledger = await openSqliteLedger(file)
  if (!ledger.ok) throw new Error(ledger.message)
  let batch: NewEvent[] = []
  const store = async () => {
    const stored = await ledger.value.append(batch)
    if (!stored.ok) throw new Error(stored.message)
    batch = []
  }
  let first: number | undefined
  let last = 0
  for (const event of newEvents({ seed: 11, events })) {
    first ??= event.ts
    last = event.ts
    if (batch.push(event) === BATCH) await store()
  }
  if (batch.length > 0) await store()
  await ledger.value.close()
  return [first ?? 0, last]
}
