import type { AchievementItem } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns } from '../../terminal/format.ts'
import { type AchievementsQuery, type CountResult, countAchievements } from './access.ts'
import { progressText, summaryLines } from './format.ts'
import { parseViewOptions, type ViewOptions } from './view-options.ts'

export async function list(context: Context, options: ViewOptions): Promise<void> {
  const wanted = parseViewOptions(options)
  const counted = await countAchievements(context, wanted)
  context.output.answer(lines(context, wanted, counted), achievementsDocument(counted))
}

function lines(
  { output: { paint } }: Context,
  wanted: AchievementsQuery,
  counted: CountResult,
): readonly string[] {
  const { achievements } = counted
  const categories = [...new Set(achievements.map(({ category }) => category))]
  // One layout for all rows aligns the columns across categories.
  const rows = columns(achievements.map(cells))
  const shown = achievements.map(({ state }, at) => {
    const row = rows[at] ?? ''
    if (state === 'unlocked') return row.replace('unlocked', paint.gold('unlocked'))
    return state === 'secret' ? paint.dim(row) : row
  })
  return [
    ...summaryLines(wanted, counted),
    ...categories.flatMap((category) => [
      '',
      paint.bold(category),
      ...shown.filter((_, at) => achievements[at]?.category === category),
    ]),
  ]
}

/** The id of a secret achievement reveals its name, so only JSON output contains it. */
const cells = (item: AchievementItem): readonly string[] => [
  item.state,
  item.tier ?? '–',
  progressText(item),
  item.name,
  item.state === 'secret' ? '' : item.id,
]

/** Prints the counts, every achievement and the metrics behind them. */
export function achievementsDocument(counted: CountResult): object {
  const { achievements, aggregate, view, time_zone, scan_meta, generated_at, is_stale, error } = counted
  return {
    ok: true,
    counts: achievementCounts(counted),
    achievements,
    aggregate,
    view,
    time_zone,
    scan_meta,
    generated_at,
    is_stale,
    error,
  }
}

export const achievementCounts = ({
  unlocked_count,
  discovered_count,
  secret_count,
  total_count,
}: CountResult) => ({
  unlocked_count,
  discovered_count,
  secret_count,
  total_count,
})
