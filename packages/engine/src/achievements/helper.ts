import { availableParallelism, loadavg } from 'node:os'
import type { WorkerSetup } from './calls.ts'
import type { HistorySpec } from './history.ts'
import type { Elsewhere } from './scan-history.ts'
import { type Reader, startReader } from './scanner.ts'

/** So many sessions are worth a thread of their own where a core is free for it. */
const MANY = 400
const isBusy = (): boolean => (loadavg()[0] ?? 0) > 2 * availableParallelism()
let helping = false

/** One thread more that reads, at most one at a time. */
export function openHelper(spec: HistorySpec, setup: WorkerSetup) {
  let thread: Reader | undefined
  const read: Elsewhere = (count) => {
    if (count < MANY || helping || availableParallelism() < 2 || isBusy()) return undefined
    helping = true
    const opened = startReader(spec, setup)
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
