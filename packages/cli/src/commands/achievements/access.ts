import type { AchievementsReply, AchievementsView } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect, stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'

/** Selects the sessions that count and the time zone. */
export interface Wanted {
  readonly source: AchievementsView
  readonly hermesDb: string | undefined
  readonly tz: string | undefined
}

export interface Counting {
  readonly full: boolean
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** The result of a count, with the metrics behind it. */
export type Counted = AchievementsReply & { readonly aggregate: Readonly<Record<string, number>> }

/** Access to achievements: through the running daemon, or counted in this process if none is running. */
export interface AchievementsAccess {
  readonly count: (wanted: Wanted, counting: Counting) => Promise<Counted>
  /** Resolves to the number of deleted unlocks. */
  readonly reset: (wanted: Wanted) => Promise<number>
}

export async function withAchievements<T>(
  context: Context,
  work: (achievements: AchievementsAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, work)
}

/** Reads changed sessions and reports progress. Ctrl-C stops it without losing progress. */
export async function countNow(
  context: Context,
  wanted: Wanted,
  { full = false }: { readonly full?: boolean | undefined } = {},
): Promise<Counted> {
  const { output } = context
  const progress = startProgress(output, 'Sessions')
  const { signal, done } = interruptible()
  try {
    const counted = await withAchievements(context, ({ count }) =>
      count(wanted, { full, onProgress: progress.update, signal }),
    )
    progress.end()
    return checked(context, wanted, counted)
  } catch (error) {
    if (signal.aborted) throw stopped('Progress is saved. The next count continues from there.')
    throw error
  } finally {
    progress.end()
    done()
  }
}

/** An outdated count is fine with a note, except for a database that the user named explicitly. */
function checked({ output }: Context, { hermesDb }: Wanted, counted: Counted): Counted {
  const { error, scan_meta: meta } = counted
  const problem = error ?? meta.error
  if (problem !== null && hermesDb !== undefined) throw new CommandFailure(problem, { code: 'unreadable' })
  if (error !== null) output.note(`Showing the previous count: ${error}`)
  else if (meta.error !== null) output.note(`Some sessions could not be read: ${meta.error}`)
  if (meta.skipped.length > 0) output.note(skippedText(meta.skipped.map(({ reason }) => reason)))
  return counted
}

const skippedText = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0
    ? `1 item was skipped: ${first}`
    : `${others.length + 1} items were skipped, the first: ${first}`
