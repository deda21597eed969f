import type { Contribution } from './aggregate.ts'
import { SESSION_VALUES, type SessionValue, type SessionValues } from './metrics.ts'

/** What the source had of a session when it was read. */
export interface Seen {
  /** How many rows that count. */
  readonly rows: number
  /** The id of the last of them, and the newest time in seconds. */
  readonly last: number
  readonly time: number | null
}

/** What a session amounted to before rows of it vanished, and which rows that was. */
export interface Base {
  readonly values: SessionValues
  readonly since: Seen
}

/** What a session has once, however often it happens in it, or counts by name: these are not added up. */
const NOT_ADDED: ReadonlySet<SessionValue> = new Set<SessionValue>([
  'distinct_tool_count',
  'files_touched_count',
  'port_conflict_events',
  'install_error_events',
  'install_success_events',
  'restart_after_error_events',
  'tiny_patch_after_errors_events',
])

/** What was before rows vanished, with what came since. */
export const grown = (base: SessionValues, since: SessionValues): SessionValues =>
  Object.fromEntries(
    SESSION_VALUES.map((name) => [
      name,
      NOT_ADDED.has(name) ? Math.max(base[name], since[name]) : base[name] + since[name],
    ]),
  ) as Record<SessionValue, number>

/**
 * Where to count from. Rows that were counted and are gone, because they were pruned or a summary took their place, did happen: what the
 * session amounted to with them is closed, and only rows that came since are added. `left` is how many of those it had are still there.
 */
export function baseOf(
  before: Pick<Contribution, 'values' | 'seen' | 'base'> | undefined,
  left: number | undefined,
): Base | undefined {
  if (before?.seen === undefined || left === undefined || left >= before.seen.rows) return before?.base
  return { values: before.values, since: before.seen }
}

/** Newer by its id and by its time: a row that was written anew under another id keeps its time. */
export const isSince = ({ last, time }: Seen, id: bigint, at: unknown): boolean =>
  id > last && (time === null || (typeof at !== 'number' && typeof at !== 'bigint') || at > time)
