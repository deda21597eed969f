import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parsePort } from './option-parsers.ts'

/** Defines the commands that start, stop and inspect Panoptes. */
export function defineDaemon(program: Command, context: Context): void {
  program
    .command('up')
    .summary('start Panoptes, or open the one that is running')
    .description(
      'Starts Panoptes and runs until Ctrl-C. If Panoptes is already running, it opens that one instead.',
    )
    .option(
      '-p, --port <port>',
      'port to listen on; 0 picks a free one (default: server.port, 8201)',
      parsePort,
    )
    .option('--host <host>', 'address to listen on; required to make Panoptes reachable from other computers')
    .option('--no-open', 'do not open a browser')
    .option('-d, --detach', 'run in the background')
    .option(
      '--ledger, --store <address>',
      'store everything in this PostgreSQL database, shared by any number of hubs (default: PANOPTES_LEDGER or team.ledger)',
    )
    .option('--bus <address>', 'buffer events in this NATS JetStream (default: PANOPTES_BUS or team.bus)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes up\n  $ panoptes up --port 0 --no-open\n  $ panoptes up --detach\n  $ panoptes up --store postgres://panoptes@db/panoptes',
    )
    .action(async (options) => (await import('../commands/up.ts')).up(context, options))

  program
    .command('open')
    .summary('open the page of the running Panoptes')
    .description('Creates a one-time sign-in link and opens it if there is a display.')
    .option('--no-open', 'only print the link')
    .action(async (options) => (await import('../commands/open.ts')).open(context, options))

  program
    .command('confirm <code>')
    .summary("confirm a browser's request by its code")
    .description(
      'Signs in the browser that shows this code, or shows a token in that browser if it requested one. Only confirm a code from your own browser.',
    )
    .action(async (code) => (await import('../commands/browsers.ts')).confirm(context, code))

  const browsers = program
    .command('browsers')
    .summary('list signed-in browsers and sign them out')
    .description('Lists browsers and signs them out. A browser stays signed in for 30 days.')
  browsers
    .command('list')
    .summary('list signed-in browsers')
    .description('Lists signed-in browsers with the times of sign-in and last use.')
    .action(async () => (await import('../commands/browsers.ts')).listBrowsers(context))
  browsers
    .command('revoke [id]')
    .summary('sign a browser out')
    .description('Signs out one browser, or all of them, immediately.')
    .option('--all', 'sign out all browsers')
    .action(async (id, { all }) =>
      (await import('../commands/browsers.ts')).revokeBrowsers(context, id, all === true),
    )

  program
    .command('status')
    .summary('show whether Panoptes is running and what it stores')
    .description(
      'Shows whether Panoptes is running, its address, what it stores, and any reason it cannot store events. Exits with 0 if it is running, 3 if not.',
    )
    .action(async () => (await import('../commands/status.ts')).status(context))

  program
    .command('stop')
    .summary('stop the running Panoptes')
    .description('Finishes running requests, then stops Panoptes. Also succeeds if Panoptes is not running.')
    .action(async () => (await import('../commands/stop.ts')).stop(context))
}
