import type { Command } from 'commander'
import type { Context } from '../context.ts'

const commands = () => import('../commands/service/service.ts')

/** Commands that let the system start Panoptes. */
export function defineService(program: Command, context: Context): void {
  const service = program
    .command('service')
    .summary('start Panoptes whenever you sign in')
    .description('Writes a systemd user unit, or a launchd property list on macOS.')

  service
    .command('install')
    .description('Writes the file, and says how to start it.')
    .option('--dry-run', 'only print the file')
    .option('--now', 'start it at once, and at every sign-in')
    .action(async (options) => (await commands()).installService(context, options))

  service
    .command('uninstall')
    .description('Stops the service and removes the file.')
    .option('--dry-run', 'only say what would be done')
    .action(async (options) => (await commands()).uninstallService(context, options))

  service
    .command('status')
    .description('Says whether the service is there, and whether it runs.')
    .action(async () => (await commands()).serviceStatus(context))
}
