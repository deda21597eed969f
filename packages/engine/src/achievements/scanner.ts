import { Thread } from '@panoptes/engine/threads'
import type { ScannerCalls, WorkerSetup } from './calls.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './achievements-worker.js',
  import.meta.url,
)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 16

type ScannerThread = Thread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>
export type Scanner = Pick<ScannerThread, 'call' | 'end'>

/** The thread that knows all contributions, or one that reads for it. */
export const startScanner = (name: string, data: WorkerSetup): Scanner =>
  new Thread({ script: SCRIPT, name, data, what: 'Counting for achievements', young: YOUNG_MB })

/** One that starts when it is first asked something: where nobody looks at achievements it takes no memory. */
export function scannerOnDemand(name: string, data: WorkerSetup): Scanner {
  let started: Scanner | undefined
  return {
    call: (...asked) => {
      started ??= startScanner(name, data)
      return started.call(...asked)
    },
    end: async () => {
      await started?.call('close', [])
      await started?.end()
    },
  }
}
