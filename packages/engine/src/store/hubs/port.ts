import type { Result } from '@panoptes/schema'

/** A process that serves a team. */
export interface Hub {
  /** The id is unique for as long as the process runs. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** The address that the hub listens on. */
  readonly address: string
  readonly bus: boolean
  readonly spaces: readonly string[]
}

export interface SeenHub extends Hub {
  readonly started_at: number
  /** The database's clock measures this time, in milliseconds. */
  readonly seen_ms_ago: number
}

/** The hubs of a database. No method throws. */
export interface Hubs {
  /** Reports that this hub is alive. */
  beat(hub: Hub): Promise<Result<null>>
  /** Removes a hub that stopped on purpose, so that nobody reports it as missing. */
  leave(id: string): Promise<Result<null>>
  /** Lists the hubs seen within the last day, newest first. */
  list(): Promise<Result<readonly SeenHub[]>>
  close(): Promise<void>
}
