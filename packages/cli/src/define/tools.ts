import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parsePort, parseSpeed, parseWhole } from './option-parsers.ts'

/** Defines the commands for inspection and demos. */
export function defineTools(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('check the whole setup for problems')
    .description(
      'Checks this computer, the files, the store and the running Panoptes. Exits with 1 if a check fails.',
    )
    .option('--team', 'check the team instead: database, hubs, bus, forwarders and tokens')
    .option(
      '--ledger, --store <address>',
      'with --team: the database (default: PANOPTES_LEDGER or team.ledger)',
    )
    .option('--bus <address>', 'with --team: the bus (default: PANOPTES_BUS or team.bus)')
    .action(async ({ team, ...options }) =>
      team
        ? (await import('../commands/doctor-team.ts')).doctorTeam(context, options)
        : (await import('../commands/doctor.ts')).doctor(context),
    )

  program
    .command('demo')
    .summary('play a simulated day of agents')
    .description(
      'Plays a day of agents into a temporary home and serves the page. ' +
        "At the end, it compares the store's counters with the generator's.",
    )
    .option('--speed <times>', 'speed relative to real time, or max', parseSpeed, 60)
    .option('--events <number>', 'number of events to play; Panoptes then exits', parseWhole)
    .option('--seed <number>', 'seed of the simulated day', parseWhole, 1)
    .option('-p, --port <port>', 'the port to listen on, 0 for any free one', parsePort, 0)
    .option('--keep', 'keep the demo home and print its path')
    .option('--into-running', 'play into the running Panoptes; the events stay there')
    .option('--no-open', 'do not open a browser')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes demo\n  $ panoptes demo --speed 600 --seed 7\n  $ panoptes demo --speed max --events 100000',
    )
    .action(async (options) => (await import('../commands/demo.ts')).demo(context, options))

  program
    .command('version')
    .summary('print the version')
    .description('Prints the versions of Panoptes, Node and SQLite.')
    .action(async () => (await import('../commands/version.ts')).version(context))
}
