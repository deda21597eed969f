import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Thread } from '@panoptes/engine/worker-rpc'
import type { ReaderCalls } from './calls.ts'
import type { ScanBatch } from './scan-history.ts'
import { threadSetup } from './scanner.ts'

/** This many changed sessions justify a second thread. It has a low priority, so it does not slow a busy machine. */
const MANY = 400
/** A new database with more bytes has about that many sessions. */
const LARGE = 16_777_216

type ReaderThread = Thread<{ [M in keyof ReaderCalls]: ReaderCalls[M] }>
/** At most one second thread reads at a time. */
let isReading = false

/**
 * Prepares a second thread that reads sessions of a Hermes database. It starts at once if there is obviously much
 * to read, because starting takes longer than reading the first sessions.
 */
export function prepareHermesReader(path: string, isNew: boolean) {
  let thread: ReaderThread | undefined
  const start = (): ReaderThread | undefined => {
    if (thread || isReading || availableParallelism() < 2) return thread
    isReading = true
    thread = new Thread({ ...threadSetup('hermes-worker', 'achievements-reader'), data: { path } })
    return thread
  }
  if (isNew && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGE) start()
  return {
    read: (count: number): ScanBatch | undefined => {
      const reader = count < MANY ? undefined : start()
      if (reader === undefined) return undefined
      return async (batch) => {
        const scanned = await reader.call('scanBatch', [batch])
        return scanned.ok ? scanned.value : undefined
      }
    },
    end: async (): Promise<void> => {
      if (thread === undefined) return
      isReading = false
      await thread.call('close', [])
      await thread.end()
    },
  }
}
