import type { ScanMeta } from '@panoptes/schema'
import type { Evaluated } from './calls.ts'
import type { ScanTotals } from './scan-history.ts'
import { MOST_SKIPPED } from './skips.ts'

/** Summarizes a finished scan. */
export function metaOf(
  totals: readonly ScanTotals[],
  { sessions, skipped }: Evaluated,
  duration_ms: number,
  error: string | null,
): ScanMeta {
  const sum = (of: (one: ScanTotals) => number) => totals.reduce((all, one) => all + of(one), 0)
  const rescanned = sum((one) => one.rescanned)
  const reused = sum((one) => one.reused)
  return {
    duration_ms,
    sessions_scanned: rescanned,
    messages_scanned: sum((one) => one.messages),
    mode: totals.some(({ goesOn }) => goesOn) ? 'incremental' : 'full',
    error,
    sessions_total: sessions,
    sessions_rescanned: rescanned,
    sessions_reused: reused,
    skipped: [...totals.flatMap((one) => one.skipped), ...skipped].slice(0, MOST_SKIPPED),
  }
}

/** Summarizes an active scan. Sessions that were counted earlier are included. */
export function withKnown(meta: ScanMeta, { sessions, messages }: Evaluated): ScanMeta {
  const left = meta.sessions_total - meta.sessions_rescanned
  return {
    ...meta,
    messages_scanned: messages,
    sessions_total: sessions + left,
    sessions_reused: Math.max(0, sessions - meta.sessions_rescanned),
  }
}
