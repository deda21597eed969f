import type { AchievementsReply, AchievementsView } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { connect, stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { ofDaemon } from './of-daemon.ts'
import { withFiles } from './of-files.ts'

/** Whose sessions count, and by whose clock. */
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

/** What there is after a count, with the metrics behind it. */
export type Counted = AchievementsReply & { readonly aggregate: Readonly<Record<string, number>> }

/** Achievements of the running daemon, or counted here when none runs. */
export interface AchievementsAccess {
  readonly count: (wanted: Wanted, counting: Counting) => Promise<Counted>
  /** Answers how many unlocks were taken away. */
  readonly reset: (wanted: Wanted) => Promise<number>
}

export async function withAchievements<T>(
  context: Context,
  work: (achievements: AchievementsAccess) => Promise<T>,
): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(ofDaemon(client)) : withFiles(context, work)
}

/** Reads what changed and says how far it is; Ctrl-C ends it, and what was read is kept. */
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
    if (signal.aborted) throw stopped('What was read so far is kept: the next count goes on from there.')
    throw error
  } finally {
    progress.end()
    done()
  }
}

/** What is old is good enough with a word of it, but for a database that was asked for by name. */
function checked({ output }: Context, { hermesDb }: Wanted, counted: Counted): Counted {
  const { error, scan_meta: meta } = counted
  const problem = error ?? meta.error
  if (problem !== null && hermesDb !== undefined) throw new CommandFailure(problem, { code: 'unreadable' })
  if (error !== null) output.note(`This is what was counted before: ${error}`)
  else if (meta.error !== null) output.note(`Some sessions could not be read: ${meta.error}`)
  if (meta.skipped.length > 0) output.note(skippedText(meta.skipped.map(({ reason }) => reason)))
  return counted
}

const skippedText = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0
    ? `1 thing was left out: ${first}`
    : `${others.length + 1} things were left out, the first: ${first}`
