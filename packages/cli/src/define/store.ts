import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { collectValues, parseMoment } from './option-parsers.ts'

/** Defines the commands for the store. They use the running Panoptes, or the store directly if none is running. */
export function defineStore(program: Command, context: Context): void {
  program
    .command('backup')
    .summary('back up the store, even while Panoptes is running')
    .description(
      'Writes a complete, consistent copy of the store. To restore it, stop Panoptes and replace ledger.db; ' +
        'restore a team space with "panoptes restore".',
    )
    .argument('<file>', 'the backup to write')
    .option('-f, --force', 'overwrite an existing file')
    .option('--ledger, --store <address>', 'connect to this database directly: postgres://…')
    .option('--space <name>', 'the space (default: team.space)')
    .action(async (file: string, options) =>
      (await import('../commands/backup.ts')).backup(context, file, options),
    )

  program
    .command('rescue')
    .summary('recover the readable rows of a damaged store')
    .description(
      "Reads this home's store page by page and writes every intact row to a new store. Event keys, numbers and times stay the same. " +
        'Lost events are reported. Stop Panoptes first. The damaged file is never changed, and no file is overwritten.',
    )
    .argument('<file>', 'the store to write; with --into, the store to read')
    .option(
      '--into <home>',
      'create the store of this home from the file; the home must not have a store yet',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes rescue saved.db\n  $ panoptes rescue saved.db --into ~/.panoptes',
    )
    .action(async (file: string, options) =>
      (await import('../commands/rescue.ts')).rescue(context, file, options),
    )

  program
    .command('restore')
    .summary('restore a backup of a space into a database')
    .description(
      'Restores a backup into a new or empty space. If the restore fails, the space does not change.',
    )
    .argument('<file>', 'a backup of a space, written by "panoptes backup"')
    .option(
      '--ledger, --store <address>',
      'the database: postgres://… (default: PANOPTES_LEDGER or team.ledger)',
    )
    .option('--space <name>', 'the space to create (default: team.space)')
    .addHelpText(
      'after',
      '\nExample:\n  $ panoptes restore main.backup --store postgres://panoptes@db/panoptes --space main-again',
    )
    .action(async (file: string, options) =>
      (await import('../commands/migrate/restore.ts')).restore(context, file, options),
    )

  program
    .command('migrate')
    .summary("move this computer's store into a PostgreSQL database")
    .description(
      "Copies this computer's store into a space of a PostgreSQL database, compares every row, and commits once. " +
        'Stop Panoptes first. The file does not change. If you interrupt the command, the space does not change either.',
    )
    .requiredOption('--to <address>', 'the database: postgres://…')
    .option('--space <name>', 'a new or empty space (default: team.space)')
    .option(
      '--owner <address>',
      'email of the team member who gets the conversations and facts, or "everybody"; required if there are any',
    )
    .option('--check', 'only show what would move, and whether anything prevents it')
    .addHelpText('after', '\nExample:\n  $ panoptes migrate --to postgres://panoptes@db/panoptes --check')
    .action(async (options) => (await import('../commands/migrate/migrate.ts')).migrate(context, options))

  program
    .command('rebuild')
    .summary('rebuild derived data from the events')
    .description('Rebuilds every projection from the event log. Panoptes keeps accepting events.')
    .option('--check', 'only compare; exits with 1 if anything differs')
    .option('--ledger, --store <address>', 'connect to this database directly: postgres://…')
    .option('--space <name>', 'the space (default: team.space)')
    .action(async (options) => (await import('../commands/rebuild.ts')).rebuild(context, options))

  const events = program
    .command('export')
    .summary('export events as JSON lines')
    .description(
      'Writes events, oldest first, one JSON line each. Without a file, or with "-", it writes to stdout.',
    )
    .argument('[file]', 'the file to write', '-')
    .option('--session <id>', 'only this session')
    .option('--agent <id>', 'only this agent')
    .option('--kind <kinds>', 'only these kinds, such as tool_use,tool_done')
    .option('--source <name>', 'only this source, such as claude-code')
    .option('--since <time>', 'from this time on, such as 2026-09-15', parseMoment)
    .option('--until <time>', 'before this time', parseMoment)
    .option('--text <words>', 'only events that contain this text')
    .option('-f, --force', 'overwrite an existing file')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes export day.ndjson --since 2026-09-15 --until 2026-09-16\n  $ panoptes export --kind claim | wc -l',
    )
    .action(async (file: string, options) =>
      (await import('../commands/export.ts')).exportEvents(context, file, options),
    )

  events
    .command('replay')
    .summary('export a page that replays a session or an hour offline')
    .description('Writes one self-contained HTML page with the graph, the table and the timeline.')
    .argument('<file>', 'the page to write, such as day.html')
    .option('--session <id>', 'only this session, from start to end')
    .option('--since <time>', 'from this time on (default: the hour before the last event)', parseMoment)
    .option('--until <time>', 'before this time', parseMoment)
    .option('-f, --force', 'overwrite an existing file')
    .action(async (file: string, _options, command: Command) => {
      // Commander gives shared options to the parent command.
      const { agent, kind, source, text, ...options } = command.optsWithGlobals()
      const foreign = Object.entries({ agent, kind, source, text }).find(([, value]) => value !== undefined)
      if (foreign) command.error(`unknown option '--${foreign[0]}' for export replay`)
      await (await import('../commands/replay/export-replay.ts')).exportReplay(context, file, options)
    })

  events
    .command('otlp')
    .summary('send past sessions to an OpenTelemetry collector, as GenAI spans')
    .description(
      'Sends past sessions to an OpenTelemetry collector: one trace per session, with its agents, replies and calls. ' +
        'It leaves out message content unless you pass --content. Sending a session again produces the same trace.',
    )
    .argument('[sessions...]', 'session ids or id prefixes')
    .option('--to <address>', 'the collector, such as http://127.0.0.1:4318')
    .option('--file <file>', 'write the requests to a file instead, one JSON line each')
    .option('--all', 'send every session')
    .option('--source <name>', 'only sessions of this agent, such as claude-code')
    .option('--since <time>', 'last active at or after this time', parseMoment)
    .option('--until <time>', 'last active before this time', parseMoment)
    .option('--header <name=value>', 'add a request header; repeatable', collectValues, [])
    .addOption(
      new Option('--protocol <protocol>', 'encoding of the spans')
        .choices(['http/protobuf', 'http/json'])
        .default('http/protobuf'),
    )
    .option('--content', 'include prompts, replies, inputs and results, with secrets removed')
    .option('-f, --force', 'overwrite an existing file')
    .addHelpText(
      'after',
      '\nExample:\n  $ panoptes export otlp --since 2026-11-01 --to http://127.0.0.1:4318',
    )
    .action(async (ids: readonly string[], _options, command: Command) => {
      // Commander gives shared options to the parent command.
      const { agent, kind, session, text, ...options } = command.optsWithGlobals()
      const foreign = Object.entries({ agent, kind, session, text }).find(([, value]) => value !== undefined)
      if (foreign) command.error(`unknown option '--${foreign[0]}' for export otlp`)
      await (await import('../commands/otlp/export-otlp.ts')).exportOtlp(context, ids, options)
    })
}
