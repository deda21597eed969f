import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { port } from './values.ts'

/** Commands about the running Panoptes. */
export function defineDaemon(program: Command, context: Context): void {
  program
    .command('up')
    .summary('start Panoptes, or find the one that runs')
    .description('Starts Panoptes and stays until Ctrl-C. Where one runs already, it is opened instead.')
    .option(
      '-p, --port <port>',
      'the port to listen on, 0 for any free one (default: server.port, 8201)',
      port,
    )
    .option('--host <host>', 'the address to listen on; anything but this computer must be asked for here')
    .option('--no-open', 'do not open a browser')
    .option('-d, --detach', 'run in the background')
    .option(
      '--ledger <address>',
      'keep everything in this PostgreSQL database, which any number of hubs share (or PANOPTES_LEDGER, or team.ledger)',
    )
    .option(
      '--bus <address>',
      'put this NATS JetStream in front of the database (or PANOPTES_BUS, or team.bus)',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes up\n  $ panoptes up --port 0 --no-open\n  $ panoptes up --detach\n  $ panoptes up --ledger postgres://panoptes@db/panoptes',
    )
    .action(async (options) => (await import('../commands/up.ts')).up(context, options))

  program
    .command('open')
    .summary('open the page of the running Panoptes')
    .description('Makes a fresh link that signs a browser in, once, and opens it where there is a display.')
    .option('--no-open', 'only print the link')
    .action(async (options) => (await import('../commands/open.ts')).open(context, options))

  program
    .command('status')
    .summary('say whether Panoptes runs, and what it has')
    .description(
      'Says whether Panoptes runs, where, and how much it keeps. Exit code 0 when it runs, 3 when not.',
    )
    .action(async () => (await import('../commands/status.ts')).status(context))

  program
    .command('stop')
    .summary('stop the running Panoptes')
    .description('Lets running requests end, then stops Panoptes. Nothing to stop is no failure.')
    .action(async () => (await import('../commands/stop.ts')).stop(context))
}
