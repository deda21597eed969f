import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { port, speed, whole } from './values.ts'

/** Commands to look and to try. */
export function defineTools(program: Command, context: Context): void {
  program
    .command('doctor')
    .summary('check everything a support thread would ask for')
    .description(
      'Checks this computer, the files, the ledger and the running Panoptes. Exit code 1 if anything failed.',
    )
    .option('--team', 'check what a team stands on instead: its database, hubs, bus, forwarders, tokens')
    .option('--ledger <address>', 'with --team: the database (else PANOPTES_LEDGER, or team.ledger)')
    .option('--bus <address>', 'with --team: the bus (else PANOPTES_BUS, or team.bus)')
    .action(async ({ team, ...options }) =>
      team
        ? (await import('../commands/doctor-team.ts')).doctorTeam(context, options)
        : (await import('../commands/doctor.ts')).doctor(context),
    )

  program
    .command('demo')
    .summary('play a made-up day of agents')
    .description(
      'Plays a day of agents into a throw-away home and serves the page beside it. ' +
        'At its end the counters of the ledger are compared with those of the generator.',
    )
    .option('--speed <times>', 'how many times faster than life, or max', speed, 60)
    .option('--events <number>', 'how many events to play; Panoptes then ends by itself', whole)
    .option('--seed <number>', 'another seed plays another day', whole, 1)
    .option('-p, --port <port>', 'the port to listen on, 0 for any free one', port, 0)
    .option('--keep', 'keep the home of the demo and print where it is')
    .option('--into-running', 'play into the Panoptes that runs; its events stay there')
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
