import { safeJson } from '@panoptes/engine/redact'
import type { Shown } from './shared.ts'

/** For programs: the counts of all, and the items as the server tells them. */
export function jsonOf({ reply, items }: Shown): string {
  const { unlocked_count, discovered_count, secret_count, total_count } = reply
  const { generated_at, is_stale, view, time_zone } = reply
  const counts = { unlocked_count, discovered_count, secret_count, total_count }
  return `${safeJson({ generated_at, is_stale, view, time_zone, counts, achievements: items })}\n`
}
