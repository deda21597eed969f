import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { moment } from './values.ts'

/** Commands on what is kept. They use the running Panoptes, or the ledger itself when none runs. */
export function defineLedger(program: Command, context: Context): void {
  program
    .command('backup')
    .summary('copy the ledger, also while it is written')
    .description(
      'Writes a whole and consistent copy of the ledger. Put it back as ledger.db while Panoptes is stopped; ' +
        'that of a space of a team, with "panoptes restore".',
    )
    .argument('<file>', 'the copy to write')
    .option('-f, --force', 'replace the file if it is there')
    .option('--ledger <address>', 'of this database, asked itself: postgres://…')
    .option('--space <name>', 'of this space (default: team.space)')
    .action(async (file: string, options) =>
      (await import('../commands/backup.ts')).backup(context, file, options),
    )

  program
    .command('restore')
    .summary('put a backup of a space into a database')
    .description(
      'Makes a backup of a space a space again: one that is not there yet, or is empty. It is whole, or nothing was changed.',
    )
    .argument('<file>', 'what "panoptes backup" wrote of a space')
    .option('--ledger <address>', 'the database: postgres://… (else PANOPTES_LEDGER, or team.ledger)')
    .option('--space <name>', 'the space to make (default: team.space)')
    .addHelpText(
      'after',
      '\nExample:\n  $ panoptes restore main.backup --ledger postgres://panoptes@db/panoptes --space main-again',
    )
    .action(async (file: string, options) =>
      (await import('../commands/migrate/restore.ts')).restore(context, file, options),
    )

  program
    .command('migrate')
    .summary('move the ledger of this computer into a PostgreSQL database')
    .description(
      'Copies the ledger of this computer into a space of a PostgreSQL database, compares every row, and puts it in place in one commit. ' +
        'Panoptes has to be stopped. The file stays as it is. Stopped or killed on the way, it leaves the space as it was.',
    )
    .requiredOption('--to <address>', 'the database: postgres://…')
    .option('--space <name>', 'the space to make, or one that is empty (default: team.space)')
    .option(
      '--owner <address>',
      'the person of the team whose own the conversations and facts are from now on, or "everybody" in the space; needed where there are any',
    )
    .option('--check', 'only say what would move, and whether it can')
    .addHelpText('after', '\nExample:\n  $ panoptes migrate --to postgres://panoptes@db/panoptes --check')
    .action(async (options) => (await import('../commands/migrate/migrate.ts')).migrate(context, options))

  program
    .command('rebuild')
    .summary('compute what is derived anew from the events')
    .description('Computes every projection anew from the event log. Events are taken in meanwhile.')
    .option('--check', 'only compare; exit code 1 if anything differs')
    .option('--ledger <address>', 'of this database, asked itself: postgres://…')
    .option('--space <name>', 'of this space (default: team.space)')
    .action(async (options) => (await import('../commands/rebuild.ts')).rebuild(context, options))

  const events = program
    .command('export')
    .summary('write the events as one JSON line each')
    .description('Writes events, oldest first, one JSON line each; to stdout without a file or with "-".')
    .argument('[file]', 'the file to write', '-')
    .option('--session <id>', 'only this session')
    .option('--agent <id>', 'only this agent')
    .option('--kind <kinds>', 'only these kinds, such as tool_use,tool_done')
    .option('--source <name>', 'only this source, such as claude-code')
    .option('--since <time>', 'from this time on, such as 2026-09-15', moment)
    .option('--until <time>', 'up to this time, not including it', moment)
    .option('--text <words>', 'only events that contain this text')
    .option('-f, --force', 'replace the file if it is there')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes export day.ndjson --since 2026-09-15 --until 2026-09-16\n  $ panoptes export --kind claim | wc -l',
    )
    .action(async (file: string, options) =>
      (await import('../commands/export.ts')).exportEvents(context, file, options),
    )

  events
    .command('replay')
    .summary('write a page that plays a session or an hour offline')
    .description(
      'Writes one page with everything in it: the graph, the table and the scrubber, for any browser.',
    )
    .argument('<file>', 'the page to write, such as day.html')
    .option('--session <id>', 'only this session, from its beginning to its end')
    .option('--since <time>', 'from this time on (default: the hour before the last event)', moment)
    .option('--until <time>', 'up to this time, not including it', moment)
    .option('-f, --force', 'replace the file if it is there')
    .action(async (file: string, _options, command: Command) => {
      // Options that both have are read by the outer one.
      const { agent, kind, source, text, ...options } = command.optsWithGlobals()
      const foreign = Object.entries({ agent, kind, source, text }).find(([, value]) => value !== undefined)
      if (foreign) command.error(`unknown option '--${foreign[0]}' for export replay`)
      await (await import('../commands/replay/export-replay.ts')).exportReplay(context, file, options)
    })

  events
    .command('otlp')
    .summary('send past sessions to an OpenTelemetry collector, as GenAI spans')
    .description(
      'Sends past sessions to an OpenTelemetry collector: one trace a session, with its agents, replies and calls. ' +
        'What was said is left out, unless --content is given. A session that is sent again is the same trace.',
    )
    .argument('[sessions...]', 'the sessions, or the beginnings of their ids')
    .option('--to <address>', 'the collector, such as http://127.0.0.1:4318')
    .option('--file <file>', 'write the requests into a file instead, as one JSON line each')
    .option('--all', 'every session there is')
    .option('--source <name>', 'only sessions of this agent, such as claude-code')
    .option('--since <time>', 'last active at this time or later', moment)
    .option('--until <time>', 'last active before this time', moment)
    .option('--header <name=value>', 'a header to send along; may be given more than once', collected, [])
    .addOption(
      new Option('--protocol <protocol>', 'how spans are written')
        .choices(['http/protobuf', 'http/json'])
        .default('http/protobuf'),
    )
    .option('--content', 'with prompts, replies, inputs and results, without the secrets in them')
    .option('-f, --force', 'replace the file if it is there')
    .addHelpText(
      'after',
      '\nExample:\n  $ panoptes export otlp --since 2026-11-01 --to http://127.0.0.1:4318',
    )
    .action(async (ids: readonly string[], _options, command: Command) => {
      // Options that both have are read by the outer one.
      const { agent, kind, session, text, ...options } = command.optsWithGlobals()
      const foreign = Object.entries({ agent, kind, session, text }).find(([, value]) => value !== undefined)
      if (foreign) command.error(`unknown option '--${foreign[0]}' for export otlp`)
      await (await import('../commands/otlp/export-otlp.ts')).exportOtlp(context, ids, options)
    })
}

const collected = (value: string, before: readonly string[]): readonly string[] => [...before, value]
