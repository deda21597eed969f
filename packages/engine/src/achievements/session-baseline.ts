import type { Contribution } from './aggregate.ts'
import { SESSION_VALUES, type SessionValue, type SessionValues } from './metrics.ts'

/** What the source had of a session when it was read. */
export interface Seen {
  /** Number of rows that count. */
  readonly rows: number
  /** The id of the last row, and the newest time in seconds. */
  readonly last: number
  readonly time: number | null
}

/** The values of a session before rows vanished, and which rows those were. */
export interface Base {
  readonly values: SessionValues
  readonly since: Seen
}

/** Values that a session has once, or counts by name, so they cannot be added up. */
const NOT_ADDED: ReadonlySet<SessionValue> = new Set<SessionValue>([
  'distinct_tool_count',
  'files_touched_count',
  'port_conflict_events',
  'install_error_events',
  'install_success_events',
  'restart_after_error_events',
  'tiny_patch_after_errors_events',
])

/** Combines the values before rows vanished with those since. */
export const grown = (base: SessionValues, since: SessionValues): SessionValues =>
  Object.fromEntries(
    SESSION_VALUES.map((name) => [
      name,
      NOT_ADDED.has(name) ? Math.max(base[name], since[name]) : base[name] + since[name],
    ]),
  ) as Record<SessionValue, number>

/**
 * Returns where to count from. Rows that were counted and are gone, because they were pruned or
 * summarized, did happen. So the values including them are final, and only newer rows are added.
 * `left` is how many of those rows still exist.
 */
export function findBase(
  before: Pick<Contribution, 'values' | 'seen' | 'base'> | undefined,
  left: number | undefined,
): Base | undefined {
  if (before?.seen === undefined || left === undefined || left >= before.seen.rows) return before?.base
  return { values: before.values, since: before.seen }
}

/** Newer by id and time, because a row rewritten under another id keeps its time. */
export const isSince = ({ last, time }: Seen, id: bigint, at: unknown): boolean =>
  id > last && (time === null || (typeof at !== 'number' && typeof at !== 'bigint') || at > time)
