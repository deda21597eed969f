import { FORWARDED } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { parsePort } from './option-parsers.ts'

/** Defines the command that forwards to a team hub. */
export function defineForward(program: Command, context: Context): void {
  program
    .command('forward')
    .summary("send this computer's agent activity to a team hub")
    .description(
      'Checks the hub and the token, saves both, and starts Panoptes without a browser until Ctrl-C. If Panoptes is already running, it starts sending. Events wait in the local store while the hub is unavailable.',
    )
    .option('--to <url>', 'address of the hub (default: forward.to)')
    .option(
      '--token-file <file>',
      'file with the token, - for stdin; copied into this home (default: PANOPTES_FORWARD_TOKEN or the saved token)',
    )
    .addOption(
      new Option('--what <what>', 'what to send (default: forward.what, metadata)').choices(FORWARDED),
    )
    .option('--from-start', 'send everything again, including events that the hub already has')
    .option('--service', 'install and start a service')
    .option('--off', 'stop sending')
    .option('--no-check', 'set up even if the hub does not answer')
    .option('-p, --port <port>', 'port of the page on this computer; 0 picks a free one', parsePort)
    .option('-d, --detach', 'run in the background')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes forward --to https://panoptes.example --token-file ./token\n  $ panoptes forward --what events --service\n  $ panoptes forward --off',
    )
    .action(async (options) => (await import('../commands/forward/forward.ts')).forward(context, options))
}
