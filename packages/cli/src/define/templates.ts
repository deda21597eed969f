import { MOST_EXAMPLES } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { within } from './values.ts'

/** Commands over templates: what good sessions began with, for the next ones. */
export function defineTemplates(program: Command, context: Context): void {
  const templates = program
    .command('templates')
    .summary('let sessions that went well seed the next ones')
    .description(
      'Keeps the first calls of a session that worked as a template, gives it to new sessions of any agent, and measures whether that helps.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes templates suggest\n  $ panoptes templates create 019a8f00 --name tests\n  $ panoptes templates inject tests --for openai --messages chat.json\n  $ panoptes templates install claude-code\n  $ panoptes templates effect tests',
    )

  templates
    .command('list')
    .summary('list templates, the newest first')
    .option('--type <type>', 'only those for code, file, research, terminal or mixed work')
    .action(async (options) => (await import('../commands/templates/list.ts')).list(context, options))

  templates
    .command('show')
    .argument('<name>', 'the template')
    .summary('show a template with its examples')
    .option('--full', 'long results unfolded')
    .action(async (name, options) =>
      (await import('../commands/templates/show.ts')).show(context, name, options),
    )

  templates
    .command('create')
    .argument('<session>', 'the session, or the beginning of its id')
    .summary('make a template of a session')
    .description(
      'Keeps the first calls of a session that worked, shortened and without the secrets and home folders in them.',
    )
    .option('--name <name>', 'what to call it; without it, by type, session and time')
    .option('--type <type>', 'code, file, research, terminal or mixed; without it, by the calls')
    .option('--max-examples <n>', 'at most so many calls (10)', within(1, MOST_EXAMPLES))
    .option('-f, --force', 'replace the one of this name')
    .option('--source <name>', 'only a session of this agent, such as claude-code')
    .option('--preview', 'only show what would be kept and what is taken out')
    .option('--full', 'with --preview: long results unfolded')
    .action(async (session, options) =>
      (await import('../commands/templates/create.ts')).create(context, session, options),
    )

  templates
    .command('delete')
    .argument('<name>', 'the template')
    .summary('delete a template')
    .option('--undo', 'take a deletion of the last day back')
    .action(async (name, options) =>
      (await import('../commands/templates/delete.ts')).remove(context, name, options),
    )

  defineGiving(templates, context)

  templates
    .command('suggest')
    .summary('which recent sessions are worth a template, and why')
    .option('--days <n>', 'of the last so many days', within(1, 3_650), 30)
    .option('--limit <n>', 'at most so many', within(1, 100), 10)
    .option('--project <name>', 'only sessions of this project')
    .action(async (options) => (await import('../commands/templates/suggest.ts')).suggest(context, options))

  templates
    .command('effect')
    .argument('[name]', 'the template; without it all of them')
    .summary('whether sessions with a template went better than those without')
    .option('--project <name>', 'only sessions of this project')
    .action(async (name, options) =>
      (await import('../commands/templates/effect.ts')).effect(context, name, options),
    )
}

function defineGiving(templates: Command, context: Context): void {
  templates
    .command('inject')
    .argument('[name]', 'the template')
    .summary('print a conversation with a template in it')
    .description(
      'Prints JSON: a conversation with the template in it, or what an agent takes instead. Which template it is and why is said on stderr.',
    )
    .option('--type <type>', 'instead of a name: the least used one of this type')
    .option('--auto', 'instead of a name: what fits the first message and the project')
    .option('--for <form>', 'openai, anthropic, hermes-prefill or claude-hook')
    .option(
      '--messages <file>',
      'the conversation as JSON; - is the standard input. For claude-hook: what the hook was told',
    )
    .option('--project <folder>', 'with --auto: the project (the folder one is in)')
    .option('--prompt <text>', 'with --auto: what the work begins with (the first message of the user)')
    .option('--session <agent/id>', 'the session that gets it, so that its effect can be told')
    .option('--out <file>', 'write it into this file')
    .option('-f, --force', 'replace the file if it is there')
    .action(async (name, options) =>
      (await import('../commands/templates/inject.ts')).inject(context, name, options),
    )

  templates
    .command('install')
    .summary('have new sessions of an agent ask for the template that fits')
    .description(
      'Writes one more hook into the settings of Claude Code: a session that begins is told the template that fits its project and the kind of work there.',
    )
    .argument('<agent>', 'claude-code; for Hermes see inject --for hermes-prefill')
    .addOption(
      new Option(
        '--scope <scope>',
        'your settings, or those of the project in this folder that are not shared',
      )
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--remove', 'take the hook out again')
    .option('--dry-run', 'only show what would change')
    .action(async (agent, options) =>
      (await import('../commands/templates/install.ts')).install(context, agent, options),
    )
}
