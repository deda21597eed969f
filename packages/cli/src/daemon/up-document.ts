import type { FoundSource } from '@panoptes/schema'
import type { HookNews } from './hooks.ts'

/** The output of `panoptes up --json` when Panoptes is ready. */
export interface UpDocument {
  readonly ok: true
  readonly already_running: boolean
  readonly pid: number
  readonly port: number
  readonly address: string
  readonly link: string
  readonly version: string
  readonly home: string
  /** The file, or the database without its password. Null if a running Panoptes could not report it. */
  readonly ledger: string | null
  /** The address that forwarders use to reach this hub, or null if it is not a hub. */
  readonly hub: string | null
  readonly page_problem: string | null
  readonly warning: string | null
  readonly found: readonly FoundSource[]
  readonly hooks: HookNews
}
