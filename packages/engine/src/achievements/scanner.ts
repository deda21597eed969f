import { OnDemandThread, Thread } from '@panoptes/engine/worker-rpc'
import type { ReaderCalls, ScannerCalls, WorkerSetup } from './calls.ts'
import type { HistorySpec } from './history.ts'

const scriptOf = (name: string): URL =>
  new URL(import.meta.url.endsWith('.ts') ? `./${name}.ts` : `./achievements-${name}.js`, import.meta.url)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 12

export type Scanner = OnDemandThread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>
type ReaderThread = Thread<{ [M in keyof ReaderCalls]: ReaderCalls[M] }>
export type Reader = Pick<ReaderThread, 'call' | 'end'>

const threadOf = (script: string, name: string) => ({
  script: scriptOf(script),
  name,
  what: 'Counting for achievements',
  young: YOUNG_MB,
})

/** A thread that reads for another. For sessions of Hermes there is one with little to load, which is there almost at once. */
export function startReader({ kind }: HistorySpec, setup: WorkerSetup): Reader {
  const script = kind === 'hermes' ? 'hermes-worker' : 'worker'
  const reader: ReaderThread = new Thread({
    ...threadOf(script, 'achievements-reader'),
    data: { ...setup, helps: true } satisfies WorkerSetup,
  })
  return reader
}

/** Creates the thread that holds all contributions. `ended` is called when it is gone, with all of them. */
export const createScanner = (data: () => WorkerSetup, ended: () => void): Scanner =>
  new OnDemandThread({ ...threadOf('worker', 'achievements'), data, onEnd: ended })
