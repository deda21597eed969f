import type { Command } from 'commander'
import type { Context } from '../context.ts'

const commands = () => import('../commands/service/service.ts')

/** Defines the commands that let the system start Panoptes. */
export function defineService(program: Command, context: Context): void {
  const service = program
    .command('service')
    .summary('start Panoptes at sign-in')
    .description('Writes a systemd user unit, or a launchd property list on macOS.')

  service
    .command('install')
    .description('Writes the service file and shows how to start the service.')
    .option('--dry-run', 'only print the file')
    .option('--now', 'start it now and at every sign-in')
    .action(async (options) => (await commands()).installService(context, options))

  service
    .command('uninstall')
    .description('Stops the service and removes the file.')
    .option('--dry-run', 'only show what would be done')
    .action(async (options) => (await commands()).uninstallService(context, options))

  service
    .command('status')
    .description('Shows whether the service is installed and running.')
    .action(async () => (await commands()).serviceStatus(context))
}
