import { Thread } from '@panoptes/engine/worker-rpc'
import type { Role, WorkerSetup } from './messages.ts'

type Calls = { readonly [method: string]: (...args: never[]) => unknown }

/** In the repository the worker runs from source; in the published package it lies beside the bundle. */
const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './store-worker.js', import.meta.url)

export function storeThread<C extends Calls>(role: Role, file: string): Thread<C> {
  const data: WorkerSetup = { role, file }
  return new Thread<C>({ script: SCRIPT, name: `ledger-${role}`, data, what: `The store ${file}` })
}
