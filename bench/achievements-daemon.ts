import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AchievementsReply, ScanStatus } from '@panoptes/schema'
import { exitOf, makeHome, spawnCommand } from '../e2e/command.ts'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { watchMemory } from './live-process.ts'
import { indexed } from './sessions-daemon.ts'
import type { History } from './sessions-data.ts'

const PATH = '/api/achievements?source=hermes'
const IN_FLIGHT = 10
const AT_ONCE = 200

export interface Served {
  /** Response times in milliseconds with ten requests in flight: when idle, and during cold scans. */
  readonly calm: readonly number[]
  readonly during: readonly number[]
  /** Milliseconds until the first response that covers some sessions. */
  readonly partial: readonly number[]
  /** The duration of cold scans in milliseconds. */
  readonly cold: readonly number[]
  /** The number of scans that two hundred simultaneous requests started. */
  readonly started: number
  readonly memory_mb: number
}

/** Runs a daemon as users do: its sessions were already indexed by an earlier one. */
export async function servedAchievements(history: History, command: string, rounds: number): Promise<Served> {
  const home = await makeHome()
  const started = () => startDaemon({ home, command, env: { HERMES_HOME: history.home } })
  try {
    const first = await started()
    await indexed(first, history)
    await first.stop()
    const daemon = await started()
    try {
      return await measured(daemon, rounds)
    } finally {
      await daemon.stop()
    }
  } finally {
    await home.remove()
  }
}

async function measured(daemon: Daemon, rounds: number): Promise<Served> {
  const memory = watchMemory(daemon.pid)
  await said(daemon, PATH)
  await idle(daemon)
  const calm = await asked(daemon, () => performance.now() + 2_000)
  const during: number[] = []
  const partial: number[] = []
  const cold: number[] = []
  for (let n = 0; n < rounds; n += 1) {
    await reset(daemon)
    const run = await coldRun(daemon)
    during.push(...run.during)
    partial.push(run.partial)
    cold.push(run.cold)
  }
  const started = await startedBy(daemon)
  return { calm, during, partial, cold, started, memory_mb: memory() }
}

/** Returns the peak memory, in MB, of a command that counts everything itself. */
export async function commandMemory(history: History, command: string): Promise<number> {
  const home = await makeHome()
  const options = { command, env: { HERMES_HOME: history.home } }
  const child = spawnCommand(home, ['achievements', '--json', '--source', 'hermes'], options)
  let most = 0
  const look = () => {
    most = Math.max(most, peakMb(child.pid ?? 0))
  }
  const looking = setInterval(look, 20)
  child.stdout?.resume()
  await exitOf(child)
  clearInterval(looking)
  await home.remove()
  return most
}

/** Returns the peak memory of a process so far, and 0 when it has ended. */
function peakMb(pid: number): number {
  const file = `/proc/${pid}/status`
  const found = existsSync(file) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8')) : null
  return Number(found?.[1] ?? 0) / 1_024
}

async function coldRun(daemon: Daemon) {
  const began = performance.now()
  await said(daemon, '/api/rescan', { source: 'hermes' })
  let first: number | undefined
  let over = false
  const watch = async () => {
    while (!over) {
      const { scan_meta } = await said<AchievementsReply>(daemon, `${PATH}&wait=0`)
      if (scan_meta.mode !== 'pending') first ??= performance.now() - began
      over = scan_meta.status?.state !== 'running'
      await sleep(10)
    }
  }
  const watching = watch()
  const during = await asked(daemon, () => (over ? 0 : Number.POSITIVE_INFINITY))
  await watching
  const { scan_meta } = await said<AchievementsReply>(daemon, PATH)
  return { during, partial: first ?? Number.POSITIVE_INFINITY, cold: scan_meta.duration_ms }
}

/** Sends requests with ten in flight until the time is over. */
async function asked(daemon: Daemon, until: () => number): Promise<readonly number[]> {
  const times: number[] = []
  const line = async () => {
    const end = until()
    while (performance.now() < end && until() > 0) {
      const start = performance.now()
      await said(daemon, `${PATH}&wait=0`)
      times.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, line))
  return times
}

async function startedBy(daemon: Daemon): Promise<number> {
  await reset(daemon)
  const runs = async () => (await idle(daemon)).run_count
  const before = await runs()
  await Promise.all(Array.from({ length: AT_ONCE }, () => said(daemon, PATH)))
  return (await runs()) - before
}

const reset = (daemon: Daemon) =>
  said(daemon, '/api/achievements/reset', { source: 'hermes', confirm: 'reset' })

async function idle(daemon: Daemon): Promise<ScanStatus> {
  for (;;) {
    const status = await said<ScanStatus>(daemon, '/api/scan-status?source=hermes')
    if (status.state !== 'running') return status
    await sleep(50)
  }
}

const tokens = new Map<number, Promise<string>>()

async function said<T>(daemon: Daemon, path: string, body?: object): Promise<T> {
  const token = tokens.get(daemon.pid) ?? daemon.token('full')
  tokens.set(daemon.pid, token)
  const headers = { authorization: `Bearer ${await token}`, 'content-type': 'application/json' }
  const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
  const reply = await fetch(`${daemon.address}${path}`, init)
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`)
  return JSON.parse(text) as T
}
