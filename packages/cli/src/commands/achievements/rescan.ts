import type { Context } from '../../context.ts'
import { count, counted, duration } from '../../terminal/words.ts'
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
  const found = await countNow(context, wanted, options)
  const { scan_meta: meta, view, time_zone, error } = found
  const read = `Read ${counted(meta.sessions_rescanned, 'session')} in ${duration(meta.duration_ms)}`
  const known = meta.sessions_reused > 0 ? `; ${count(meta.sessions_reused)} had not changed` : ''
  context.output.answer([`${read}${known}`, ...headOf(wanted, found)], {
    ok: error === null && meta.error === null,
    counts: countsOf(found),
    view,
    time_zone,
    scan_meta: meta,
    error,
  })
}
