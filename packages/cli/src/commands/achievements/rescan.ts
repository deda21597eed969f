import type { Context } from '../../context.ts'
import { count, duration, plural } from '../../terminal/format.ts'
import { countAchievements } from './access.ts'
import { summaryLines } from './format.ts'
import { achievementCounts } from './list.ts'
import { parseViewOptions, type ViewOptions } from './view-options.ts'

/** Reads changed sessions, or all of them with `full`. */
export async function rescan(
  context: Context,
  options: ViewOptions & { readonly full?: boolean },
): Promise<void> {
  const wanted = parseViewOptions(options)
  const found = await countAchievements(context, wanted, options)
  const { scan_meta: meta, view, time_zone, error } = found
  const read = `Read ${plural(meta.sessions_rescanned, 'session')} in ${duration(meta.duration_ms)}`
  const unchanged = meta.sessions_reused > 0 ? `; ${count(meta.sessions_reused)} unchanged` : ''
  context.output.answer([`${read}${unchanged}`, ...summaryLines(wanted, found)], {
    ok: error === null && meta.error === null,
    counts: achievementCounts(found),
    view,
    time_zone,
    scan_meta: meta,
    error,
  })
}
