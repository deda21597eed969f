import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FoundMessage, IndexStatus } from '@panoptes/schema'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { bundle, root } from '../packages/cli/build/bundle.ts'
import { watchMemory } from './live-process.ts'
import type { Asked, History } from './sessions-data.ts'

const PROBE = new URL('./sessions-probe.js', import.meta.url).href
const MOST_MS = 300_000

export interface Answered {
  readonly kind: string
  readonly ms: number
  readonly found: number
  /** The number of hits without text around the match. */
  readonly blank: number
}

export interface Served {
  /** Seconds from the start of the daemon until the index is up to date. */
  readonly seconds: number
  /** The peak memory of the process while it built the index and while it was searched. */
  readonly index_mb: number
  readonly search_mb: number
  /** The delays of timers on its main thread while the index was built, in milliseconds. */
  readonly delays: readonly number[]
  readonly answers: readonly Answered[]
}

/** Builds the command as it is published. In a clone, every thread keeps its own compiler in memory. */
export async function published(folder: string): Promise<string> {
  const cli = join(root, 'packages', 'cli')
  const own = join(folder, 'panoptes')
  mkdirSync(own)
  for (const each of ['bin', 'package.json']) cpSync(join(cli, each), join(own, each), { recursive: true })
  await bundle(join(own, 'dist'))
  return join(own, 'bin', 'panoptes.js')
}

/** Runs a daemon as users do, with a history that it has not seen. */
export async function served(history: History, folder: string, asked: readonly Asked[]): Promise<Served> {
  const delays = join(folder, 'delays')
  const command = await published(folder)
  const began = Date.now()
  const daemon = await startDaemon({
    command,
    env: { HERMES_HOME: history.home, NODE_OPTIONS: `--import=${PROBE}`, PANOPTES_BENCH_DELAYS: delays },
  })
  try {
    const ready = Date.now()
    const indexing = watchMemory(daemon.pid)
    await indexed(daemon, history)
    const ended = Date.now()
    const index_mb = indexing()
    const searching = watchMemory(daemon.pid)
    const answers: Answered[] = []
    for (const each of asked) answers.push(await answered(daemon, each))
    return {
      seconds: (ended - began) / 1_000,
      index_mb,
      search_mb: searching(),
      delays: delaysIn(delays, ready, ended),
      answers,
    }
  } finally {
    await daemon.stop()
  }
}

export async function indexed(daemon: Daemon, history: History): Promise<void> {
  const limit = Date.now() + MOST_MS
  while (Date.now() < limit) {
    const statuses = (await (await daemon.request('/api/past/status')).json()) as IndexStatus[]
    const status = statuses.find(({ source }) => source === 'hermes')
    if (status?.state === 'idle' && status.done >= history.sessions) return
    if (status?.problem) throw new Error(status.problem)
    await sleep(100)
  }
  throw new Error(`the index was not made within ${MOST_MS / 1_000} s`)
}

async function answered(daemon: Daemon, { kind, query }: Asked): Promise<Answered> {
  const path = `/api/past/search?${new URLSearchParams(query)}`
  const start = performance.now()
  const reply = await daemon.request(path)
  const text = await reply.text()
  const ms = performance.now() - start
  if (!reply.ok) throw new Error(`GET ${path} answered ${reply.status}: ${text}`)
  const hits = JSON.parse(text) as FoundMessage[]
  return { kind, ms, found: hits.length, blank: hits.filter(({ snippet }) => snippet === null).length }
}

function delaysIn(file: string, from: number, to: number): readonly number[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [number, number])
    .filter(([at]) => at >= from && at <= to)
    .map(([, ms]) => ms)
}
