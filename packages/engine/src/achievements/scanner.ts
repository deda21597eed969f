import { Thread } from '@panoptes/engine/threads'
import type { ScannerCalls, WorkerSetup } from './calls.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './achievements-worker.js',
  import.meta.url,
)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 16

export type Scanner = Thread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>

/** The thread that knows all contributions, or one that reads for it. */
export const startScanner = (name: string, data: WorkerSetup): Scanner =>
  new Thread({ script: SCRIPT, name, data, what: 'Counting for achievements', young: YOUNG_MB })
