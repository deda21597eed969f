import type { ReadSessions } from '@panoptes/engine/sources'
import type { AchievementStore } from '@panoptes/engine/store'
import type { AchievementItem } from '@panoptes/schema'
import type { Scanner } from './scanner.ts'
import type { ScopeScans } from './scope-scans.ts'
import type { NamedView, SinceOf } from './view.ts'

/** What a view of the sessions needs. */
export interface ViewSetup {
  readonly view: NamedView
  readonly scanner: Scanner
  readonly scans: ScopeScans
  readonly sessions: ReadSessions
  readonly achievementStore: AchievementStore
  /** The folder of files for other programs; undefined for sessions of other computers. */
  readonly folder: string | undefined
  readonly findSince: SinceOf
  readonly env: Readonly<Record<string, string | undefined>>
  readonly zone: string
  readonly ttlSeconds: number
  readonly waitMs: number
  readonly unlocked: (items: readonly AchievementItem[]) => void
  /** Called after a scan with its start time, and whether it completed. */
  readonly scanned: (began: number, ended: boolean) => void
}

/** The options of a request to a view. */
export interface ViewQuery {
  readonly wait: boolean
  /** Includes the underlying metrics, if known. */
  readonly aggregate?: boolean | undefined
}
