import { Thread } from '@panoptes/engine/threads'
import type { Role, WorkerSetup } from './messages.ts'

type Calls = { readonly [method: string]: (...args: never[]) => unknown }

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './ledger-worker.js',
  import.meta.url,
)

export function ledgerThread<C extends Calls>(role: Role, file: string): Thread<C> {
  const data: WorkerSetup = { role, file }
  return new Thread<C>({ script: SCRIPT, name: `ledger-${role}`, data, what: `The ledger ${file}` })
}
