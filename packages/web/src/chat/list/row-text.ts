import type { ConversationHead, RuntimeHealth } from '@panoptes/schema'
import type { GlyphName } from '../../design/glyph.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { runtimeTitle } from '../runtimes.ts'

const w = words.chat.list
const NOW_MS = 60_000

/** The runtime that answers now and, if it differs, the one that answered first. */
export function runtimeText(
  { runtime, first_runtime: first }: Pick<ConversationHead, 'runtime' | 'first_runtime'>,
  runtimes: readonly RuntimeHealth[],
): string {
  const last = runtimeTitle(runtimes, runtime)
  return first === undefined || first === runtime ? last : w.handedOn(runtimeTitle(runtimes, first), last)
}

/** Formats a time as now, 11:20, Yesterday, Mon or 5 Nov. */
export function formatWhen(ts: number, now: number): string {
  if (now - ts < NOW_MS) return w.now
  const days = f.daysBetween(ts, now)
  if (days === 0) return f.clock(ts).slice(0, 5)
  if (days === 1) return w.yesterday
  return days < 7 ? f.weekday(ts) : f.day(ts, now)
}

/** How the last answer ended if it is incomplete; null if it is complete or another one is running. */
export function endStatus({
  run_id,
  last_status: status,
}: Pick<ConversationHead, 'run_id' | 'last_status'>): {
  readonly glyph: GlyphName
  readonly word: string
} | null {
  if (run_id !== null || status === undefined || status === 'complete') return null
  return {
    glyph: status === 'failed' ? 'failed' : status === 'partial' ? 'stuck' : 'unknown',
    word: w.ended[status],
  }
}
