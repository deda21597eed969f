import type { FoundSource } from '@panoptes/schema'
import type { HookNews } from './hooks.ts'

/** What `panoptes up --json` prints when Panoptes is ready. */
export interface UpDocument {
  readonly ok: true
  readonly already_running: boolean
  readonly pid: number
  readonly port: number
  readonly address: string
  readonly link: string
  readonly version: string
  readonly home: string
  /** The file, or the database without its password; null where a running one could not say it. */
  readonly ledger: string | null
  /** The address by which forwarders reach this hub; null where it is no hub. */
  readonly hub: string | null
  readonly page_problem: string | null
  readonly warning: string | null
  readonly found: readonly FoundSource[]
  readonly hooks: HookNews
}
