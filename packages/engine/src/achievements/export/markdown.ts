import { visibleLine } from '@panoptes/engine/redact'
import type { AchievementItem } from '@panoptes/schema'
import { newestOf } from '../newest.ts'
import { dayOf, figure, type Shown, WHOSE } from './shared.ts'

const MOST_LINE = 200
const NONE = '–'
const HEAD = ['| Achievement | Tier | Progress | Since | Evidence |', '|---|---|---|---|---|']

/** For people: a table for each category, in the order of the catalogue. */
export function markdownOf({ reply, items }: Shown): string {
  const { unlocked_count, discovered_count, secret_count, total_count, time_zone } = reply
  const as = dayOf(reply.generated_at, time_zone) ?? NONE
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
    progressOf(item),
    dayOf(newestOf(item), zone) ?? NONE,
    item.evidence ? `${line(item.evidence.title) || 'Untitled'} (${figure(item.evidence.value)})` : NONE,
  ]
  return `| ${cells.join(' | ')} |`
}

/** How far, and to what; of a secret nothing is known. */
function progressOf({ state, kind, progress, progress_pct, next_tier, next_threshold }: AchievementItem) {
  if (state === 'secret') return NONE
  if (kind === 'multi_condition') return `${progress_pct} %`
  if (next_tier === null || next_threshold === null) return figure(progress)
  return `${figure(progress)} of ${figure(next_threshold)} for ${next_tier}`
}

/** One line in which nothing is Markdown, nor an address that would become a link. */
const line = (text: string): string =>
  visibleLine(text, MOST_LINE).replace(/[\\`*_{}[\]<>()#+!|~$&@]|:(?=\/)|\.(?=[\p{L}\p{N}])/gu, '\\$&')
