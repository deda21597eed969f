import { MOST_EXAMPLES } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { parseWithin } from './option-parsers.ts'

/** Defines the template commands. */
export function defineTemplates(program: Command, context: Context): void {
  const templates = program
    .command('templates')
    .summary('start sessions from successful ones')
    .description(
      'Saves the first successful tool calls of a session as a template, injects it into new sessions of any agent, and measures whether it helps.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes templates suggest\n  $ panoptes templates create 019a8f00 --name tests\n  $ panoptes templates inject tests --for openai --messages chat.json\n  $ panoptes templates install claude-code\n  $ panoptes templates effect tests',
    )

  templates
    .command('list')
    .summary('list templates, newest first')
    .option('--type <type>', 'only this type: code, file, research, terminal or mixed')
    .action(async (options) => (await import('../commands/templates/list.ts')).list(context, options))

  templates
    .command('show')
    .argument('<name>', 'the template')
    .summary('show a template with its examples')
    .option('--full', 'show long results in full')
    .action(async (name, options) =>
      (await import('../commands/templates/show.ts')).show(context, name, options),
    )

  templates
    .command('create')
    .argument('<session>', 'session id or id prefix')
    .summary('create a template from a session')
    .description(
      'Saves the first successful tool calls of a session, shortened, with secrets and home folders removed.',
    )
    .option('--name <name>', 'its name (default: from type, session and time)')
    .option('--type <type>', 'code, file, research, terminal or mixed (default: from the calls)')
    .option('--max-examples <n>', 'maximum number of calls (default: 10)', parseWithin(1, MOST_EXAMPLES))
    .option('-f, --force', 'overwrite an existing template')
    .option('--source <name>', 'only a session of this agent, such as claude-code')
    .option('--preview', 'only show what would be saved and removed')
    .option('--full', 'with --preview: show long results in full')
    .action(async (session, options) =>
      (await import('../commands/templates/create.ts')).create(context, session, options),
    )

  templates
    .command('delete')
    .argument('<name>', 'the template')
    .summary('delete a template')
    .option('--undo', 'restore a template deleted within the last day')
    .action(async (name, options) =>
      (await import('../commands/templates/delete.ts')).remove(context, name, options),
    )

  defineGiving(templates, context)

  templates
    .command('suggest')
    .summary('suggest recent sessions for templates')
    .option('--days <n>', 'look back this many days', parseWithin(1, 3_650), 30)
    .option('--limit <n>', 'maximum number of rows', parseWithin(1, 100), 10)
    .option('--project <name>', 'only sessions of this project')
    .action(async (options) => (await import('../commands/templates/suggest.ts')).suggest(context, options))

  templates
    .command('effect')
    .argument('[name]', 'the template (default: all)')
    .summary('compare sessions with and without a template')
    .option('--project <name>', 'only sessions of this project')
    .action(async (name, options) =>
      (await import('../commands/templates/effect.ts')).effect(context, name, options),
    )
}

function defineGiving(templates: Command, context: Context): void {
  templates
    .command('inject')
    .argument('[name]', 'the template')
    .summary('add a template to a conversation')
    .description(
      'Prints JSON: the conversation with the template, or the format that the agent expects. The chosen template and the reason go to stderr.',
    )
    .option('--type <type>', 'instead of a name: the least used template of this type')
    .option('--auto', 'instead of a name: the best match for the first message and the project')
    .option('--for <form>', 'openai, anthropic, hermes-prefill or claude-hook')
    .option('--messages <file>', 'the conversation as JSON; - reads stdin. For claude-hook: the hook input')
    .option('--project <folder>', 'with --auto: the project (default: this folder)')
    .option('--prompt <text>', 'with --auto: the first prompt (default: the first user message)')
    .option('--session <agent/id>', 'the session that gets the template, to measure the effect')
    .option('--out <file>', 'write to this file')
    .option('-f, --force', 'overwrite an existing file')
    .action(async (name, options) =>
      (await import('../commands/templates/inject.ts')).inject(context, name, options),
    )

  templates
    .command('install')
    .summary('give new sessions of an agent a matching template')
    .description(
      'Adds a hook to the Claude Code settings that gives each new session the template that matches its project and type of work.',
    )
    .argument('<agent>', 'claude-code; for Hermes see inject --for hermes-prefill')
    .addOption(
      new Option('--scope <scope>', 'user: in every folder; project: only here (.claude/settings.local.json)')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--remove', 'remove the hook')
    .option('--dry-run', 'only show what would change')
    .action(async (agent, options) =>
      (await import('../commands/templates/install.ts')).install(context, agent, options),
    )
}
