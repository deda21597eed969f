import type { SeenHub } from '../hubs/port.ts'

/** What a database says of itself; null where it may not be seen. */
export interface DatabaseLook {
  readonly connect_ms: number
  readonly round_trip_ms: number
  readonly worst_round_trip_ms: number
  /** How far its clock is ahead of this computer's. */
  readonly clock_ahead_ms: number
  readonly version: string
  readonly version_number: number
  readonly encoding: string
  /** It is a standby, and takes no writes. */
  readonly in_recovery: boolean
  readonly bytes: number
  /** Whether nobody between here and there can read along: it is encrypted, or both are on one computer. */
  readonly private: boolean
  readonly connections: { readonly used: number; readonly own: number; readonly most: number }
  readonly settings: Readonly<Record<Setting, string>>
  readonly wal_bytes: number
  readonly shared_buffers_bytes: number
  readonly standbys: readonly Standby[]
  readonly oldest: { readonly ms: number; readonly pid: number; readonly program: string } | null
  /** Spaces that were being filled when the filling was killed. */
  readonly leftovers: readonly string[]
}

export type Setting =
  | 'synchronous_commit'
  | 'max_wal_size'
  | 'shared_buffers'
  | 'fsync'
  | 'full_page_writes'
  | 'archive_mode'
  | 'synchronous_standby_names'
  | 'max_connections'

interface Standby {
  readonly name: string
  /** Null where this user may not see it. */
  readonly state: string | null
  readonly sync: string | null
  readonly lag_ms: number | null
}

export interface SpaceLook {
  readonly name: string
  readonly version: number
  /** What this program knows. */
  readonly known: number
  readonly events: number
  readonly bytes: number
  readonly events_last_hour: number
  readonly events_last_day: number
  readonly partitions: number
  /** Partitions that retention began to take away and did not finish. */
  readonly unfinished: number
  readonly leads: readonly { readonly job: string; readonly by: string }[]
  /** Computers among the newest events, by their last one. */
  readonly hosts: readonly { readonly host: string; readonly last_ts: number; readonly events: number }[]
}

export interface TeamLook {
  readonly version: number
  readonly known: number
  readonly people: number
  readonly hubs: readonly SeenHub[]
  readonly expiring: readonly {
    readonly label: string
    readonly space: string
    readonly hint: string
    readonly days: number
    readonly used: boolean
  }[]
  readonly tokens: number
  /** Tokens that machines send with, the last used first. */
  readonly machines: readonly {
    readonly label: string
    readonly space: string
    readonly hint: string
    readonly last_used: number | null
    /** The computer that last sent something with it, as it calls itself. */
    readonly host: string | null
  }[]
}

export interface Look {
  readonly database: DatabaseLook
  /** Null where no team was made in it. */
  readonly team: TeamLook | null
  readonly spaces: readonly SpaceLook[]
}
