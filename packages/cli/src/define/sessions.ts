import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { dollars, moment, rows } from './values.ts'

/** Commands over what agents left behind. */
export function defineSessions(program: Command, context: Context): void {
  const sessions = program
    .command('sessions')
    .summary('find, search and read past sessions')
    .description('Finds, searches and reads the sessions that agents left behind, whatever agent it was.')

  filtered(sessions.command('list').summary('list past sessions, the newest first'))
    .option('--limit <n>', 'at most so many', rows, 50)
    .action(async (options) => (await import('../commands/sessions/list.ts')).list(context, options))

  sessions
    .command('show')
    .argument('<id>', 'the session, or the beginning of its id')
    .summary('show a session')
    .option('--full', 'long texts and results unfolded')
    .action(async (id, options) => (await import('../commands/sessions/show.ts')).show(context, id, options))

  filtered(
    sessions
      .command('search')
      .argument('<words...>', 'all of them have to be there; "in quotes" next to each other')
      .summary('search what was said and done'),
  )
    .option('--limit <n>', 'at most so many', rows, 20)
    .action(async (words, options) =>
      (await import('../commands/sessions/search.ts')).search(context, words, options),
    )

  filtered(sessions.command('stats').summary('what past sessions amount to'))
    .option('--by <what>', 'source, project, host, model, tool or day', 'source')
    .action(async (options) => (await import('../commands/sessions/stats.ts')).stats(context, options))

  sessions
    .command('export')
    .argument('<id>', 'the session, or the beginning of its id')
    .argument('[file]', 'where to; without it, or with -, the standard output')
    .summary('write a session as JSON lines, Markdown or one HTML page, without the secrets in it')
    .option('--format <format>', 'jsonl, markdown or html; without it the name of the file says which')
    .option('--force', 'replace the file if there is one')
    .action(async (id, file, options) =>
      (await import('../commands/sessions/export.ts')).exportSession(context, id, file, options),
    )

  sessions
    .command('prices')
    .summary('the prices of the models that were used')
    .option('--update', 'fetch the newest list of prices from the network')
    .option('--from <address>', 'with --update: take it from this address or file')
    .action(async (options) => (await import('../commands/sessions/prices.ts')).prices(context, options))

  defineMarks(sessions, context)
}

/** A command of its own: what is forgotten is more than the session. */
export function defineForget(program: Command, context: Context): void {
  program
    .command('forget')
    .argument(
      '<pattern>',
      'the beginning of an id, a title or a project; with * for anything, all ids, titles and projects that fit it',
    )
    .summary('remove sessions for good, from everything Panoptes keeps')
    .description(
      'Removes sessions for good: from the index, the events, the journal and the marks. They do not come back. ' +
        'The files of the agents themselves are not touched. It shows them and asks first.',
    )
    .option('--dry-run', 'only show which sessions those are')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .action(async (pattern, options) =>
      (await import('../commands/sessions/forget.ts')).forget(context, pattern, options),
    )
}

function defineMarks(sessions: Command, context: Context): void {
  const id = ['<id>', 'the session, or the beginning of its id'] as const
  const marks = () => import('../commands/sessions/mark.ts')

  sessions
    .command('tag')
    .argument(...id)
    .argument('<tags...>', 'short words to find it by')
    .summary('tag a session')
    .action(async (session, tags) => (await marks()).tag(context, session, tags))

  sessions
    .command('untag')
    .argument(...id)
    .argument('[tags...]', 'the tags to take away; none takes all')
    .summary('take tags away')
    .action(async (session, tags) => (await marks()).untag(context, session, tags))

  sessions
    .command('note')
    .argument(...id)
    .argument('[text...]', 'the note; none takes it away')
    .summary('write a note on a session')
    .action(async (session, text) => (await marks()).note(context, session, text))

  conditions(sessions.command('filters').summary('list the saved filters, save one, remove one'), sinceOrDays)
    .option('--save <name>', 'save the filter that is given with it under this name')
    .option('--remove <name>', 'remove the saved filter of this name')
    .action(async (options) => (await import('../commands/sessions/filters.ts')).filters(context, options))
}

const filtered = (command: Command): Command =>
  conditions(command, moment).option('--filter <name>', 'a saved filter; what is said beside it goes first')

/** A saved filter may count back from the day it is used. */
const sinceOrDays = (text: string): string | number => (/^[1-9]\d{0,3}d$/.test(text) ? text : moment(text))

const conditions = (command: Command, since: (text: string) => string | number): Command =>
  command
    .option('--source <name>', 'only sessions of this agent, such as claude-code')
    .option('--project <name>', 'only sessions of this project')
    .option('--host <name>', 'only sessions of this computer, on a hub')
    .option('--model <name>', 'only sessions with this model')
    .option('--tool <name>', 'only sessions that used this tool')
    .option('--tag <tag>', 'only sessions with this tag')
    .option('--since <time>', 'last active at this time or later', since)
    .option('--until <time>', 'last active before this time', moment)
    .option('--errors', 'only sessions in which something failed')
    .option('--min-cost <dollars>', 'only sessions that cost so much or more', dollars)
