import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { WorkerSetup } from './calls.ts'
import type { HistorySpec } from './history.ts'
import type { Elsewhere } from './scan-history.ts'
import { type Reader, startReader } from './scanner.ts'

/** So many sessions are worth a thread of their own. It gives way to all others, so it does no harm on a busy machine. */
const MANY = 400
let helping = false

/** Bytes: a database of Hermes that is larger, of which nothing is known yet, has about so many. */
const LARGE = 16_777_216

/** One thread more that reads, at most one at a time. It is started ahead where it is plain that there is much to read. */
export function openHelper(spec: HistorySpec, setup: WorkerSetup, isNew: boolean) {
  let thread: Reader | undefined
  const start = (): Reader | undefined => {
    if (thread || helping || availableParallelism() < 2) return thread
    helping = true
    thread = startReader(spec, setup)
    return thread
  }
  const read: Elsewhere = (count) => {
    const reader = count < MANY ? undefined : start()
    return (
      reader &&
      (async (batch) => {
        const scanned = await reader.call('scanBatch', [spec, batch])
        return scanned.ok ? scanned.value : undefined
      })
    )
  }
  const end = async (): Promise<void> => {
    if (thread === undefined) return
    helping = false
    await thread.call('close', [])
    await thread.end()
  }
  if (isNew && spec.kind === 'hermes' && sizeOf(spec.path) > LARGE) start()
  return { read, end }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
