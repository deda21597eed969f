import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/confirm.ts'
import { plural, shortenPath } from '../../terminal/format.ts'
import { type AchievementsQuery, withAchievements } from './access.ts'
import { parseViewOptions, type ViewOptions } from './view-options.ts'

/** Deletes unlocks and counts after the user confirms. */
export async function reset(
  context: Context,
  options: ViewOptions & { readonly yes?: boolean },
): Promise<void> {
  const { output } = context
  const wanted = parseViewOptions(options)
  if (options.yes !== true && !(await confirmReset(wanted))) {
    output.answer(['Nothing was reset'], { ok: true, unlocks_removed: 0 })
    return
  }
  const removed = await withAchievements(context, (achievements) => achievements.reset(wanted))
  output.answer([`Deleted ${plural(removed, 'unlock')} and the counts behind them`], {
    ok: true,
    unlocks_removed: removed,
  })
}

async function confirmReset(wanted: AchievementsQuery): Promise<boolean> {
  if (!canAsk())
    throw new CommandFailure(describeReset(wanted), {
      code: 'needs_yes',
      next: 'To confirm, pass --yes.',
      exit: EXIT.usage,
    })
  process.stderr.write(`${describeReset(wanted)}\n`)
  return ask('Reset?')
}

function describeReset({ source, hermesDb, tz }: AchievementsQuery): string {
  const subject = source === 'hermes' ? 'Hermes' : 'all agents'
  const where = hermesDb === undefined ? '' : ` with ${shortenPath(hermesDb)}`
  // A view in another time zone has its own unlocks but shares the session counts.
  const clock = tz === undefined ? '' : ` in the time zone ${tz}`
  const counts = tz === undefined ? 'and' : 'and, if that is the default time zone,'
  return (
    `A reset deletes every unlock of ${subject}${where}${clock} with its date, ${counts} the counts behind it. ` +
    'The next count covers only sessions that agents still have. Other views keep their unlocks.'
  )
}
