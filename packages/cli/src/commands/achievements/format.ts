import type { AchievementItem } from '@panoptes/schema'
import { count, shortenPath, plural as thing } from '../../terminal/format.ts'
import type { AchievementsQuery, CountResult } from './access.ts'

export function summaryLines(wanted: AchievementsQuery, counted: CountResult): readonly string[] {
  const { unlocked_count: unlocked, total_count: all, scan_meta: meta } = counted
  const rest = [`${counted.discovered_count} discovered`, `${counted.secret_count} secret`]
  const sessions = thing(meta.sessions_total, 'session')
  return [
    `${unlocked} of ${all} unlocked, ${rest.join(', ')}`,
    `${sessionScope(wanted, sessions)}, time zone ${counted.time_zone}`,
  ]
}

function sessionScope({ source, hermesDb }: AchievementsQuery, sessions: string): string {
  const of = source === 'hermes' ? `${sessions} of Hermes` : `${sessions} of all agents`
  return hermesDb === undefined ? of : `${of} with ${shortenPath(hermesDb)}`
}

/** Formats the progress to the next tier, if there is one. */
export function progressText({
  state,
  kind,
  progress,
  progress_pct,
  next_tier,
  next_threshold,
}: AchievementItem): string {
  if (state === 'secret') return '–'
  if (kind === 'multi_condition') return state === 'unlocked' ? 'done' : `${progress_pct} %`
  if (next_tier === null || next_threshold === null) return `${count(progress)}, the highest tier`
  return `${count(progress)} / ${count(next_threshold)} to ${next_tier}`
}

/** Formats a timestamp as a day. A timestamp from a file of another program may be invalid. */
export function dateText(seconds: number | null | undefined): string {
  const date = new Date(seconds ? seconds * 1_000 : Number.NaN)
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().slice(0, 10)
}
