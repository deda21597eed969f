import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parseDollars, parseMoment, parseRows } from './option-parsers.ts'

/** Defines the commands for past sessions. */
export function defineSessions(program: Command, context: Context): void {
  const sessions = program
    .command('sessions')
    .summary('find, search and read past sessions')
    .description('Finds, searches and reads past sessions of any agent.')

  addFilterOptions(sessions.command('list').summary('list past sessions, newest first'))
    .option('--limit <n>', 'maximum number of rows', parseRows, 50)
    .action(async (options) => (await import('../commands/sessions/list.ts')).list(context, options))

  sessions
    .command('show')
    .argument('<id>', 'session id or id prefix')
    .summary('show a session')
    .option('--full', 'show long texts and results in full')
    .action(async (id, options) => (await import('../commands/sessions/show.ts')).show(context, id, options))

  addFilterOptions(
    sessions
      .command('search')
      .argument('<words...>', 'words that must all match; "quotes" match a phrase')
      .summary('search messages and tool calls'),
  )
    .option('--limit <n>', 'maximum number of rows', parseRows, 20)
    .action(async (words, options) =>
      (await import('../commands/sessions/search.ts')).search(context, words, options),
    )

  addFilterOptions(sessions.command('stats').summary('sum up past sessions'))
    .option('--by <what>', 'source, project, host, model, tool or day', 'source')
    .action(async (options) => (await import('../commands/sessions/stats.ts')).stats(context, options))

  sessions
    .command('export')
    .argument('<id>', 'session id or id prefix')
    .argument('[file]', 'the file to write; without one, or with -, stdout')
    .summary('export a session as JSON lines, Markdown or HTML, with secrets removed')
    .option('--format <format>', 'jsonl, markdown or html (default: from the file name)')
    .option('--force', 'overwrite an existing file')
    .action(async (id, file, options) =>
      (await import('../commands/sessions/export.ts')).exportSession(context, id, file, options),
    )

  sessions
    .command('restore')
    .argument('<id>', 'session id or id prefix')
    .summary('bring back the files of a session that its agent deleted')
    .description(
      'Writes the files of a session back where they were, byte for byte, so that its agent can resume it. ' +
        'Panoptes keeps these files if archive.originals is on. Existing files are never overwritten.',
    )
    .option('--dry-run', 'only show what would be written')
    .action(async (id, options) =>
      (await import('../commands/sessions/restore.ts')).restoreSession(context, id, options),
    )

  sessions
    .command('prices')
    .summary('show prices of the models in use')
    .option('--update', 'download the newest price list')
    .option('--from <address>', 'with --update: the URL or file to read')
    .action(async (options) => (await import('../commands/sessions/prices.ts')).prices(context, options))

  defineMarks(sessions, context)
}

/** Forgetting deletes more than the session, so it has its own command. */
export function defineForget(program: Command, context: Context): void {
  program
    .command('forget')
    .argument('<pattern>', 'an id prefix, title or project; * matches any text')
    .summary('delete sessions from Panoptes permanently')
    .description(
      'Permanently deletes sessions from the index, events, journals and notes. They do not come back. ' +
        "It lists them and asks first. The agents' own files are not touched.",
    )
    .option('--dry-run', 'only list the matching sessions')
    .option('--yes', 'skip the confirmation; required without a terminal')
    .action(async (pattern, options) =>
      (await import('../commands/sessions/forget.ts')).forget(context, pattern, options),
    )
}

function defineMarks(sessions: Command, context: Context): void {
  const id = ['<id>', 'session id or id prefix'] as const
  const marks = () => import('../commands/sessions/mark.ts')

  sessions
    .command('tag')
    .argument(...id)
    .argument('<tags...>', 'tags to add')
    .summary('tag a session')
    .action(async (session, tags) => (await marks()).tag(context, session, tags))

  sessions
    .command('untag')
    .argument(...id)
    .argument('[tags...]', 'tags to remove; without any, all are removed')
    .summary('remove tags')
    .action(async (session, tags) => (await marks()).untag(context, session, tags))

  sessions
    .command('note')
    .argument(...id)
    .argument('[text...]', 'the note; without one, it is removed')
    .summary('add a note to a session')
    .action(async (session, text) => (await marks()).note(context, session, text))

  addConditionOptions(sessions.command('filters').summary('list, save or remove filters'), parseSinceOrDays)
    .option('--save <name>', 'save the given filter options under this name')
    .option('--remove <name>', 'remove this saved filter')
    .action(async (options) => (await import('../commands/sessions/filters.ts')).filters(context, options))
}

const addFilterOptions = (command: Command): Command =>
  addConditionOptions(command, parseMoment).option(
    '--filter <name>',
    'use a saved filter; other options override it',
  )

/** A saved filter may count days back from the day it is used. */
const parseSinceOrDays = (text: string): string | number =>
  /^[1-9]\d{0,3}d$/.test(text) ? text : parseMoment(text)

const addConditionOptions = (command: Command, since: (text: string) => string | number): Command =>
  command
    .option('--source <name>', 'only sessions of this agent, such as claude-code')
    .option('--project <name>', 'only sessions of this project')
    .option('--host <name>', 'on a hub: only sessions of this computer')
    .option('--model <name>', 'only sessions with this model')
    .option('--tool <name>', 'only sessions that used this tool')
    .option('--tag <tag>', 'only sessions with this tag')
    .option('--since <time>', 'last active at or after this time', since)
    .option('--until <time>', 'last active before this time', parseMoment)
    .option('--errors', 'only sessions with errors')
    .option('--min-cost <dollars>', 'only sessions that cost at least this much', parseDollars)
