import { createStopSignal, type Handlers, lowerPriority, serve } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import type { ReaderCalls } from './calls.ts'
import { openHermesHistory } from './hermes-history.ts'
import type { History } from './history.ts'

// A worker that only reads sessions of Hermes; it loads little, so it starts quickly.
lowerPriority()
let history: History | undefined

const calls: Handlers<ReaderCalls> = {
  scanBatch: async (job, spec, batch) => {
    if (spec.kind !== 'hermes') return failure('invalid', 'This reads only Hermes sessions.')
    history ??= openHermesHistory(spec.path)
    const stop = createStopSignal(job)
    try {
      return await history.scan(batch, stop.signal)
    } finally {
      stop.end()
    }
  },
  close: () => {
    history?.close()
    return null
  },
}

serve(calls, (error) => failure('io', error instanceof Error ? error.message : String(error)))
