import { nearest } from '@panoptes/engine/home'
import type { Command } from 'commander'
import type { Context } from '../context.ts'

const list = () => import('../commands/achievements/list.ts')

/** Commands over what all sessions amount to. */
export function defineAchievements(program: Command, context: Context): void {
  const achievements = viewed(program.command('achievements'))
    .summary('what all your sessions amount to')
    .description('Lists what was unlocked and how far the rest is, by category.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes achievements\n  $ panoptes achievements show let_him_cook\n  $ panoptes achievements --source hermes --tz UTC --json',
    )
    .action(async (options, command: Command) => {
      const [unknown] = command.args
      if (unknown !== undefined) command.error(unknownCommand(command, unknown))
      await (await list()).list(context, options)
    })

  viewed(achievements.command('list'))
    .summary('list them, as without a word')
    .action(async (_options, command: Command) => (await list()).list(context, command.optsWithGlobals()))

  viewed(achievements.command('show'))
    .argument('<id>', 'its id or its name')
    .summary('show one of them, with its tiers and its session')
    .action(async (id, _options, command: Command) =>
      (await import('../commands/achievements/show.ts')).show(context, id, command.optsWithGlobals()),
    )

  viewed(achievements.command('rescan'))
    .summary('count anew')
    .option('--full', 'read every session again, also those that did not change')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/rescan.ts')).rescan(context, command.optsWithGlobals()),
    )

  viewed(achievements.command('reset'))
    .summary('take away what was unlocked and counted')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/reset.ts')).reset(context, command.optsWithGlobals()),
    )

  viewed(achievements.command('export'))
    .summary('write them as JSON, Markdown or a card to show')
    .description(
      'Writes achievements without the secrets in titles; to the standard output without a file or with "-".',
    )
    .option('--format <format>', 'json, markdown or svg; without it the name of the file says which')
    .option('--state <state>', 'only those that are unlocked, discovered or secret')
    .option('--out <file>', 'the file to write')
    .option('-f, --force', 'replace the file if it is there')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/export.ts')).exportAll(context, command.optsWithGlobals()),
    )

  achievements
    .command('install-hermes-tab')
    .summary('show them in a tab of the dashboard of Hermes')
    .description(
      'Writes a plugin of its own into the home of Hermes, and names the dashboard in config.yaml, so that Panoptes answers its page.',
    )
    .option('--dry-run', 'only show what would change')
    .option('--uninstall', 'take away exactly what was written')
    .option('--origin <address>', 'where the dashboard of Hermes is (default: port 9119 of this computer)')
    .action(async (options) =>
      (await import('../commands/achievements/hermes-tab.ts')).hermesTab(context, options),
    )

  // Last, as commands take it over: only the word after `achievements` may be one that is not known.
  achievements.allowExcessArguments()
}

/** Whose sessions count, and by whose clock; it may be said before or after the word of a command. */
const viewed = (command: Command): Command =>
  command
    .option('--source <name>', 'all (every agent) or hermes (as Hermes counts); all where it is not said')
    .option('--hermes-db <path>', "another state.db than that of Hermes' home; it has a state of its own")
    .option('--tz <zone>', 'by whose clock a weekend and a night are told, such as Europe/Berlin')

function unknownCommand(command: Command, name: string): string {
  const close = nearest(
    name,
    command.commands.map((each) => each.name()),
  )
  return `unknown command 'achievements ${name}'${close ? `\n(Did you mean achievements ${close}?)` : ''}`
}
