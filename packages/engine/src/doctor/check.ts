import type { Paths } from '@panoptes/engine/home'
import type { EventStore, StoreLocation } from '@panoptes/engine/store'
import type { FoundSource, HealthCheck } from '@panoptes/schema'

/** The input of the checks. The command and the running daemon each provide it in their own way. */
export interface Patient {
  readonly paths: Paths
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  /** The location of the store; the SQLite file in the home by default. */
  readonly place?: StoreLocation | undefined
  /** The store, where this process has it open. */
  readonly store: EventStore | null
  readonly sources: () => Promise<readonly FoundSource[]>
  readonly hooks: () => Promise<{
    readonly connected: readonly string[]
    readonly installed: readonly string[]
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
  /** An earlier check that this one would interfere with. This check starts after that one is done. */
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
