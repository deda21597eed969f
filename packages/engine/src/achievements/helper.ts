import { availableParallelism, loadavg, setPriority } from 'node:os'
import type { WorkerSetup } from './calls.ts'
import type { HistorySpec } from './history.ts'
import type { Elsewhere } from './scan-history.ts'
import { type Scanner, startScanner } from './scanner.ts'

/** So many sessions are worth a thread of their own where a core is free for it. */
const MANY = 400
const isBusy = (): boolean => (loadavg()[0] ?? 0) > 2 * availableParallelism()
let helping = false

/** One thread more that reads, at most one at a time. */
export function openHelper(spec: HistorySpec, setup: WorkerSetup) {
  let thread: Scanner | undefined
  const read: Elsewhere = (count) => {
    if (count < MANY || helping || availableParallelism() < 2 || isBusy()) return undefined
    helping = true
    const opened = startScanner('achievements-helper', { ...setup, helps: true })
    thread = opened
    return async (batch) => {
      const scanned = await opened.call('scanBatch', [spec, batch])
      return scanned.ok ? scanned.value : undefined
    }
  }
  const end = async (): Promise<void> => {
    if (thread === undefined) return
    helping = false
    await thread.call('close', [])
    await thread.end()
  }
  return { read, end }
}

const LOW = 10

/** Whoever answers people goes first. Only Linux has this for a single thread. */
export function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOW)
  } catch {
    // Where it is not allowed, it goes on as before.
  }
}
