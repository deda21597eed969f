import type { AchievementItem } from '@panoptes/schema'
import { markdownLine } from '@panoptes/schema/shown'
import { newestUnlock } from '../latest-unlocks.ts'
import { figure, formatDay, type Shown, WHOSE } from './shared.ts'

const MOST_LINE = 200
const NONE = '–'
const HEAD = ['| Achievement | Tier | Progress | Since | Evidence |', '|---|---|---|---|---|']

/** Formats one table per category for people, in catalogue order. */
export function toMarkdown({ reply, items }: Shown): string {
  const { unlocked_count, discovered_count, secret_count, total_count, time_zone } = reply
  const as = formatDay(reply.generated_at, time_zone) ?? NONE
  const counts = `${unlocked_count} of ${total_count} unlocked, ${discovered_count} discovered, ${secret_count} secret`
  const categories = new Set(items.map(({ category }) => category))
  return [
    '# Achievements',
    `${counts}: ${WHOSE[reply.view]}, as of ${as} (${line(time_zone)}).`,
    ...[...categories].flatMap((category) => [
      `## ${line(category)}`,
      [
        ...HEAD,
        ...items.filter((item) => item.category === category).map((item) => row(item, time_zone)),
      ].join('\n'),
    ]),
  ]
    .map((part) => `${part}\n`)
    .join('\n')
}

function row(item: AchievementItem, zone: string): string {
  const cells = [
    line(item.name),
    item.tier ?? NONE,
    formatProgress(item),
    formatDay(newestUnlock(item), zone) ?? NONE,
    item.evidence ? `${line(item.evidence.title) || 'Untitled'} (${figure(item.evidence.value)})` : NONE,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Formats the progress and the next threshold; nothing for a secret. */
function formatProgress({ state, kind, progress, progress_pct, next_tier, next_threshold }: AchievementItem) {
  if (state === 'secret') return NONE
  if (kind === 'multi_condition') return `${progress_pct} %`
  if (next_tier === null || next_threshold === null) return figure(progress)
  return `${figure(progress)} of ${figure(next_threshold)} for ${next_tier}`
}

const line = (text: string): string => markdownLine(text, MOST_LINE)
