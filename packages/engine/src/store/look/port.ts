import type { SeenHub } from '../hubs/port.ts'

/** Holds what a database reports about itself. A field is null where this user may not see it. */
export interface DatabaseLook {
  readonly connect_ms: number
  readonly round_trip_ms: number
  readonly worst_round_trip_ms: number
  /** The database's clock is this far ahead of this computer's clock. */
  readonly clock_ahead_ms: number
  readonly version: string
  readonly version_number: number
  readonly encoding: string
  /** This is true for a standby, which accepts no writes. */
  readonly in_recovery: boolean
  readonly bytes: number
  /** This is true when the connection is encrypted, or when both ends are on one computer. */
  readonly private: boolean
  readonly connections: { readonly used: number; readonly own: number; readonly most: number }
  readonly settings: Readonly<Record<Setting, string>>
  readonly wal_bytes: number
  readonly shared_buffers_bytes: number
  readonly standbys: readonly Standby[]
  readonly oldest: { readonly ms: number; readonly pid: number; readonly program: string } | null
  /** Spaces that were being filled when the process was killed. */
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
  /** This is null when this user may not see it. */
  readonly state: string | null
  readonly sync: string | null
  readonly lag_ms: number | null
}

export interface SpaceLook {
  readonly name: string
  readonly version: number
  /** The version that this program knows. */
  readonly known: number
  readonly events: number
  readonly bytes: number
  readonly events_last_hour: number
  readonly events_last_day: number
  readonly partitions: number
  /** Partitions that retention began to remove and did not finish. */
  readonly unfinished: number
  readonly leads: readonly { readonly job: string; readonly by: string }[]
  /** The computers that sent the newest events, by their last event. */
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
  /** Tokens that machines send with, most recently used first. */
  readonly machines: readonly {
    readonly label: string
    readonly space: string
    readonly hint: string
    readonly last_used: number | null
    /** The computer that last sent with this token, by the name it reports. */
    readonly host: string | null
  }[]
}

export interface Look {
  readonly database: DatabaseLook
  /** This is null when the database has no team. */
  readonly team: TeamLook | null
  readonly spaces: readonly SpaceLook[]
}
