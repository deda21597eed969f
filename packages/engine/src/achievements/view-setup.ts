import type { Achieved } from '@panoptes/engine/ledger'
import type { AchievementItem } from '@panoptes/schema'
import type { Scanner } from './scanner.ts'
import type { ScopeScans } from './scope-scans.ts'
import type { NamedView, SinceOf } from './view.ts'

/** What a view of the sessions is given. */
export interface ViewSetup {
  readonly view: NamedView
  readonly scanner: Scanner
  readonly scans: ScopeScans
  readonly achieved: Achieved
  /** Where files for other programs go; nowhere for sessions that are not this computer's own. */
  readonly folder: string | undefined
  readonly sinceOf: SinceOf
  readonly env: Readonly<Record<string, string | undefined>>
  readonly zone: string
  readonly ttlSeconds: number
  readonly waitMs: number
  readonly unlocked: (items: readonly AchievementItem[]) => void
  /** A scan is over that began then; whether it came to its end. */
  readonly scanned: (began: number, ended: boolean) => void
}

/** How a view is asked. */
export interface Asked {
  readonly wait: boolean
  /** With the metrics behind it, where they are known. */
  readonly aggregate?: boolean | undefined
}
