import type { AchievementItem } from '@panoptes/schema'
import { count, tilde } from '../../terminal/words.ts'
import type { Counted, Wanted } from './access.ts'

export function headOf(wanted: Wanted, counted: Counted): readonly string[] {
  const { unlocked_count: unlocked, total_count: all, scan_meta: meta } = counted
  const rest = [`${counted.discovered_count} discovered`, `${counted.secret_count} secret`]
  const sessions = meta.sessions_total === 1 ? '1 session' : `${count(meta.sessions_total)} sessions`
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

export const dateText = (seconds: number | null | undefined): string =>
  seconds ? new Date(seconds * 1_000).toISOString().slice(0, 10) : 'at an unknown time'
