import { FORWARDED } from '@panoptes/schema'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { port } from './values.ts'

/** Sends what this computer has to the hub of a team. */
export function defineForward(program: Command, context: Context): void {
  program
    .command('forward')
    .summary("send what this computer's agents do to the hub of a team")
    .description(
      'Checks the hub and the token, writes both into this home, and starts Panoptes without a browser; it stays until Ctrl-C. Where one runs already, that one begins to send. What the hub cannot take now waits in the ledger of this computer.',
    )
    .option('--to <url>', 'the address of the hub (default: forward.to)')
    .option(
      '--token-file <file>',
      'the file that holds the token, - for stdin (else PANOPTES_FORWARD_TOKEN, or the one that is kept); it is copied into this home',
    )
    .addOption(
      new Option('--what <what>', 'what is sent (default: forward.what, metadata)').choices(FORWARDED),
    )
    .option('--from-start', 'send everything that is there, also what this hub has already')
    .option('--service', 'install it as a service, and start that')
    .option('--off', 'send nothing any more')
    .option('--no-check', 'set it up although the hub does not answer now')
    .option('-p, --port <port>', 'the port of the page of this computer, 0 for any free one', port)
    .option('-d, --detach', 'run in the background')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes forward --to https://panoptes.example --token-file ./token\n  $ panoptes forward --what events --service\n  $ panoptes forward --off',
    )
    .action(async (options) => (await import('../commands/forward/forward.ts')).forward(context, options))
}
