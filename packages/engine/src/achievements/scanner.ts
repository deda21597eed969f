import { Thread } from '@panoptes/engine/worker-rpc'
import type { ReaderCalls, ScannerCalls, WorkerSetup } from './calls.ts'
import type { HistorySpec } from './history.ts'

const scriptOf = (name: string): URL =>
  new URL(import.meta.url.endsWith('.ts') ? `./${name}.ts` : `./achievements-${name}.js`, import.meta.url)

/** Megabytes: much text passes through, and none of it stays. */
const YOUNG_MB = 12

type ScannerThread = Thread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>
export type Scanner = Pick<ScannerThread, 'call' | 'end'>
type ReaderThread = Thread<{ [M in keyof ReaderCalls]: ReaderCalls[M] }>
export type Reader = Pick<ReaderThread, 'call' | 'end'>

const threadOf = (script: string, name: string, data: WorkerSetup) => ({
  script: scriptOf(script),
  name,
  data,
  what: 'Counting for achievements',
  young: YOUNG_MB,
})

/** A thread that reads for another. For sessions of Hermes there is one with little to load, which is there almost at once. */
export function startReader({ kind }: HistorySpec, setup: WorkerSetup): Reader {
  const script = kind === 'hermes' ? 'hermes-worker' : 'worker'
  const reader: ReaderThread = new Thread(threadOf(script, 'achievements-reader', { ...setup, helps: true }))
  return reader
}

/** The thread that knows all contributions. It starts when it is first asked something: where nobody looks at achievements it takes no memory. */
export function scannerOnDemand(name: string, data: WorkerSetup): Scanner {
  let started: Scanner | undefined
  return {
    call: (...asked) => {
      started ??= new Thread(threadOf('worker', name, data)) as ScannerThread
      return started.call(...asked)
    },
    end: async () => {
      await started?.call('close', [])
      await started?.end()
    },
  }
}
