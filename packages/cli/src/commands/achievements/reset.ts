import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/ask.ts'
import { counted, tilde } from '../../terminal/words.ts'
import { type Wanted, withAchievements } from './access.ts'
import { type ViewOptions, wantedOf } from './wanted.ts'

/** Takes away what was unlocked and counted, after a person said yes. */
export async function reset(
  context: Context,
  options: ViewOptions & { readonly yes?: boolean },
): Promise<void> {
  const { output } = context
  const wanted = wantedOf(options)
  if (options.yes !== true && !(await agreed(wanted))) {
    output.answer(['Nothing was reset'], { ok: true, unlocks_removed: 0 })
    return
  }
  const removed = await withAchievements(context, (achievements) => achievements.reset(wanted))
  output.answer([`Took away ${counted(removed, 'unlock')} and what was counted`], {
    ok: true,
    unlocks_removed: removed,
  })
}

async function agreed(wanted: Wanted): Promise<boolean> {
  if (!canAsk())
    throw new CommandFailure(what(wanted), {
      code: 'needs_yes',
      next: 'Say --yes if you want that.',
      exit: EXIT.usage,
    })
  process.stderr.write(`${what(wanted)}\n`)
  return ask('Reset?')
}

function what({ source, hermesDb, tz }: Wanted): string {
  const whose = source === 'hermes' ? 'Hermes' : 'all agents'
  const where = hermesDb === undefined ? '' : ` with ${tilde(hermesDb)}`
  // By another clock than its own a view has unlocks, and counts the same sessions.
  const clock = tz === undefined ? '' : ` by the clock of ${tz}`
  const counts = tz === undefined ? 'and' : 'and where that is its own clock'
  return (
    `A reset takes away every unlock of ${whose}${where}${clock} with its dates, ${counts} what was counted for it. ` +
    'The next count finds what the agents still have; what they dropped meanwhile does not come back. Other views keep theirs.'
  )
}
