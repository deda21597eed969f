import { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type { ScannerCalls, WorkerSetup } from './calls.ts'

const scriptUrl = (name: string): URL =>
  new URL(import.meta.url.endsWith('.ts') ? `./${name}.ts` : `./achievements-${name}.js`, import.meta.url)

/** The young generation in megabytes. Much text passes through it, and none of it stays. */
const YOUNG_MB = 12

export const threadSetup = (script: string, name: string) => ({
  script: scriptUrl(script),
  name,
  what: 'Counting for achievements',
  young: YOUNG_MB,
})

export type Scanner = OnDemandThread<{ [M in keyof ScannerCalls]: ScannerCalls[M] }>

/** Creates the thread that holds all contributions. `ended` is called when it is gone, with all of them. */
export const createScanner = (data: () => WorkerSetup, ended: () => void): Scanner =>
  new OnDemandThread({ ...threadSetup('worker', 'achievements'), data, onEnd: ended })
