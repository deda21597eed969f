import type { Context } from '../../context.ts'
import { count, duration } from '../../terminal/words.ts'
import { countNow } from './access.ts'
import { countsOf } from './list.ts'
import { type ViewOptions, wantedOf } from './wanted.ts'
import { headOf } from './words.ts'

/** Reads what changed, or with `full` everything. */
export async function rescan(
  context: Context,
  options: ViewOptions & { readonly full?: boolean },
): Promise<void> {
  const wanted = wantedOf(options)
  const counted = await countNow(context, wanted, options)
  const { scan_meta: meta, view, time_zone, error } = counted
  const read = `Read ${count(meta.sessions_rescanned)} sessions in ${duration(meta.duration_ms)}`
  const known = meta.sessions_reused > 0 ? `; ${count(meta.sessions_reused)} had not changed` : ''
  context.output.answer([`${read}${known}`, ...headOf(wanted, counted)], {
    ok: error === null,
    counts: countsOf(counted),
    view,
    time_zone,
    scan_meta: meta,
    error,
  })
}
