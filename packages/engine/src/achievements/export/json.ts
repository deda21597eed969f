import { formatSafeJson } from '@panoptes/engine/redact'
import type { Shown } from './shared.ts'

/** Formats all counts and items for programs, as the server returns them. */
export function toJson({ reply, items }: Shown): string {
  const { unlocked_count, discovered_count, secret_count, total_count } = reply
  const { generated_at, is_stale, view, time_zone } = reply
  const counts = { unlocked_count, discovered_count, secret_count, total_count }
  return `${formatSafeJson({ generated_at, is_stale, view, time_zone, counts, achievements: items })}\n`
}
