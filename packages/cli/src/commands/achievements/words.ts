import type { AchievementItem } from '@panoptes/schema'
import { count, counted as thing, tilde } from '../../terminal/words.ts'
import type { Counted, Wanted } from './access.ts'

export function headOf(wanted: Wanted, counted: Counted): readonly string[] {
  const { unlocked_count: unlocked, total_count: all, scan_meta: meta } = counted
  const rest = [`${counted.discovered_count} discovered`, `${counted.secret_count} secret`]
  const sessions = thing(meta.sessions_total, 'session')
  return [
    `${unlocked} of ${all} unlocked, ${rest.join(', ')}`,
    `${whose(wanted, sessions)}, by the clock of ${counted.time_zone}`,
  ]
}

function whose({ source, hermesDb }: Wanted, sessions: string): string {
  const of = source === 'hermes' ? `${sessions} of Hermes` : `${sessions} of all agents`
  return hermesDb === undefined ? of : `${of} with ${tilde(hermesDb)}`
}

/** How far it is to the next tier, or that there is none. */
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

/** The day of a moment; what a file of another program says may be none. */
export function dateText(seconds: number | null | undefined): string {
  const date = new Date(seconds ? seconds * 1_000 : Number.NaN)
  return Number.isNaN(date.getTime()) ? 'at an unknown time' : date.toISOString().slice(0, 10)
}
