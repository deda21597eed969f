import type { AchievementItem } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { columns } from '../../terminal/words.ts'
import { type Counted, countNow, type Wanted } from './access.ts'
import { type ViewOptions, wantedOf } from './wanted.ts'
import { headOf, progressText } from './words.ts'

export async function list(context: Context, options: ViewOptions): Promise<void> {
  const wanted = wantedOf(options)
  const counted = await countNow(context, wanted)
  context.output.answer(lines(context, wanted, counted), documentOf(counted))
}

function lines({ output: { paint } }: Context, wanted: Wanted, counted: Counted): readonly string[] {
  const { achievements } = counted
  const categories = [...new Set(achievements.map(({ category }) => category))]
  // All rows are laid out together, so that the columns stand under each other in every category.
  const rows = columns(achievements.map(cells))
  const shown = achievements.map(({ state }, at) => {
    const row = rows[at] ?? ''
    if (state === 'unlocked') return row.replace('unlocked', paint.gold('unlocked'))
    return state === 'secret' ? paint.dim(row) : row
  })
  return [
    ...headOf(wanted, counted),
    ...categories.flatMap((category) => [
      '',
      paint.bold(category),
      ...shown.filter((_, at) => achievements[at]?.category === category),
    ]),
  ]
}

/** The id of a secret is its name, so only programs are told it. */
const cells = (item: AchievementItem): readonly string[] => [
  item.state,
  item.tier ?? '–',
  progressText(item),
  item.name,
  item.state === 'secret' ? '' : item.id,
]

/** The counts, every achievement and the metrics behind them. */
export function documentOf(counted: Counted): object {
  const { achievements, aggregate, view, time_zone, scan_meta, generated_at, is_stale, error } = counted
  return {
    ok: true,
    counts: countsOf(counted),
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

export const countsOf = ({ unlocked_count, discovered_count, secret_count, total_count }: Counted) => ({
  unlocked_count,
  discovered_count,
  secret_count,
  total_count,
})
