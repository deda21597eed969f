import type { AchievementsReply, ScanStatus } from '@panoptes/schema'
import type { Snapshot } from './snapshot-store.ts'

interface Now {
  /** It is due for another count. */
  readonly isOld: boolean
  /** Why the last scan failed. */
  readonly error: string | null
  readonly status: ScanStatus
  readonly withAggregate: boolean
}

/** A snapshot as it is served. */
export function toReply({ aggregate, ...found }: Snapshot, now: Now): AchievementsReply {
  const { isOld, error, status, withAggregate } = now
  return {
    ...found,
    ...(withAggregate && aggregate && { aggregate }),
    is_stale: isOld || error !== null,
    error: error ?? found.error,
    scan_meta: { ...found.scan_meta, error: error ?? found.scan_meta.error, status },
  }
}
