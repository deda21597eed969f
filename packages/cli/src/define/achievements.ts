import { nearest } from '@panoptes/engine/home'
import type { Command } from 'commander'
import type { Context } from '../context.ts'

const list = () => import('../commands/achievements/list.ts')

/** Defines the achievement commands. */
export function defineAchievements(program: Command, context: Context): void {
  const achievements = addViewOptions(program.command('achievements'))
    .summary('achievements from all your sessions')
    .description('Lists unlocked achievements, and your progress on the others, by category.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes achievements\n  $ panoptes achievements show let_him_cook\n  $ panoptes achievements --source hermes --tz UTC --json',
    )
    .action(async (options, command: Command) => {
      const [unknown] = command.args
      if (unknown !== undefined) command.error(unknownCommand(command, unknown))
      await (await list()).list(context, options)
    })

  addViewOptions(achievements.command('list'))
    .summary('list achievements (the default)')
    .action(async (_options, command: Command) => (await list()).list(context, command.optsWithGlobals()))

  addViewOptions(achievements.command('show'))
    .argument('<id>', 'its id or name')
    .summary('show an achievement with its tiers and its session')
    .action(async (id, _options, command: Command) =>
      (await import('../commands/achievements/show.ts')).show(context, id, command.optsWithGlobals()),
    )

  addViewOptions(achievements.command('rescan'))
    .summary('count again')
    .option('--full', 'read every session again, including unchanged ones')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/rescan.ts')).rescan(context, command.optsWithGlobals()),
    )

  addViewOptions(achievements.command('reset'))
    .summary('delete all unlocks and counts')
    .option('--yes', 'skip the confirmation; required without a terminal')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/reset.ts')).reset(context, command.optsWithGlobals()),
    )

  addViewOptions(achievements.command('export'))
    .summary('export achievements as JSON, Markdown or a card')
    .description(
      'Writes achievements with secrets removed from titles. Without a file, or with "-", it writes to stdout.',
    )
    .option('--format <format>', 'json, markdown or svg (default: from the file name)')
    .option('--state <state>', 'only this state: unlocked, discovered or secret')
    .option('--out <file>', 'the file to write')
    .option('-f, --force', 'overwrite an existing file')
    .action(async (_options, command: Command) =>
      (await import('../commands/achievements/export.ts')).exportAll(context, command.optsWithGlobals()),
    )

  achievements
    .command('install-hermes-tab')
    .summary('show achievements in a tab of the Hermes dashboard')
    .description(
      'Installs a plugin into the Hermes home and adds the dashboard to config.yaml, so that Panoptes accepts requests from it.',
    )
    .option('--dry-run', 'only show what would change')
    .option('--uninstall', 'remove exactly what was installed')
    .option('--origin <address>', 'address of the Hermes dashboard (default: port 9119 on this computer)')
    .action(async (options) =>
      (await import('../commands/achievements/hermes-tab.ts')).hermesTab(context, options),
    )

  // This comes last, because subcommands inherit it: only the word after `achievements` may be unknown.
  achievements.allowExcessArguments()
}

/** Adds the view options, which may come before or after the subcommand. */
const addViewOptions = (command: Command): Command =>
  command
    .option(
      '--source <name>',
      "all: every agent's sessions; hermes: only Hermes' sessions, counted by Hermes' rules (default: all)",
    )
    .option('--hermes-db <path>', 'another Hermes state.db; its unlocks are kept separately')
    .option('--tz <zone>', 'time zone for weekends and nights, such as Europe/Berlin')

function unknownCommand(command: Command, name: string): string {
  const close = nearest(
    name,
    command.commands.map((each) => each.name()),
  )
  return `unknown command 'achievements ${name}'${close ? `\n(Did you mean achievements ${close}?)` : ''}`
}
