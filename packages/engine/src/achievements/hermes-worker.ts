import { workerData } from 'node:worker_threads'
import { createStopSignal, type Handlers, lowerPriority, serve } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import type { ReaderCalls, ReaderSetup } from './calls.ts'
import { openHermesHistory } from './hermes-history.ts'

// A worker that only reads sessions of Hermes; it loads little, so it starts quickly.
lowerPriority()
const history = openHermesHistory((workerData as ReaderSetup).path)

const calls: Handlers<ReaderCalls> = {
  scanBatch: async (job, batch) => {
    const stop = createStopSignal(job)
    try {
      return await history.scan(batch, stop.signal)
    } finally {
      stop.end()
    }
  },
  close: () => {
    history.close()
    return null
  },
}

serve(calls, (error) => failure('io', error instanceof Error ? error.message : String(error)))
