import type { Paths } from '@panoptes/engine/home'
import type { Ledger, LedgerPlace } from '@panoptes/engine/ledger'
import type { FoundSource, HealthCheck } from '@panoptes/schema'

/** What the checks look at; the command and the running daemon fill it each in their way. */
export interface Patient {
  readonly paths: Paths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** Where the ledger is; a file of the home where nobody says. */
  readonly place?: LedgerPlace | undefined
  /** The ledger, where this process has it open already. */
  readonly ledger: Ledger | null
  readonly sources: () => Promise<readonly FoundSource[]>
  readonly hooks: () => Promise<{
    readonly connected: readonly string[]
    readonly unconnected: readonly string[]
    readonly problems: readonly string[]
    readonly script: 'current' | 'older' | 'newer' | 'absent'
    readonly scriptRuns: boolean
  }>
  readonly page: () => Promise<{ readonly folder: string | null; readonly problem: string | null }>
  readonly browser: { readonly opens: boolean; readonly detail: string }
}

export interface Check {
  readonly id: string
  readonly title: string
  /** The earlier check that this one would disturb, so that it starts only when that one is done. */
  readonly after?: Check | undefined
  readonly run: (patient: Patient) => Promise<Finding> | Finding
}

export type Finding = Omit<HealthCheck, 'id' | 'title'>

export const ok = (detail: string): Finding => ({ state: 'ok', detail, cause: null, next: null })

export const warning = (detail: string, cause: string, next: string): Finding => ({
  state: 'warning',
  detail,
  cause,
  next,
})

export const failed = (detail: string, cause: string, next: string): Finding => ({
  state: 'failed',
  detail,
  cause,
  next,
})
