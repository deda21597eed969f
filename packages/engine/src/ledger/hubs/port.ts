import type { Result } from '@panoptes/schema'

/** A process that serves a team. */
export interface Hub {
  /** Its own for as long as it runs. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** Where it listens. */
  readonly address: string
  readonly bus: boolean
  readonly spaces: readonly string[]
}

export interface SeenHub extends Hub {
  readonly started_at: number
  /** By the clock of the database, in milliseconds. */
  readonly seen_ms_ago: number
}

/** Which hubs a database has. No method throws. */
export interface Hubs {
  /** Says that this one lives. */
  beat(hub: Hub): Promise<Result<null>>
  /** It stopped by itself, and is missed by nobody. */
  leave(id: string): Promise<Result<null>>
  /** Those that were seen in the last day, the newest first. */
  list(): Promise<Result<readonly SeenHub[]>>
  close(): Promise<void>
}
