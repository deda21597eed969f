import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { moment } from './values.ts'

/** Commands on what is kept. They use the running Panoptes, or the ledger itself when none runs. */
export function defineLedger(program: Command, context: Context): void {
  program
    .command('backup')
    .summary('copy the ledger, also while it is written')
    .description(
      'Writes a whole and consistent copy of the ledger. Put it back as ledger.db while Panoptes is stopped.',
    )
    .argument('<file>', 'the copy to write')
    .option('-f, --force', 'replace the file if it is there')
    .action(async (file: string, options) =>
      (await import('../commands/backup.ts')).backup(context, file, options),
    )

  program
    .command('rebuild')
    .summary('compute what is derived anew from the events')
    .description('Computes every projection anew from the event log. Events are taken in meanwhile.')
    .option('--check', 'only compare; exit code 1 if anything differs')
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
}
