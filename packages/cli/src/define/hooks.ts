import { Argument, type Command, Option } from 'commander'
import type { Context } from '../context.ts'

const agents = (what: string) => new Argument('<agent>', what).choices(['claude-code', 'hermes'])
const scope = () =>
  new Option('--scope <scope>', 'your settings, or those of the project in this folder that are not shared')
    .choices(['user', 'project'])
    .default('user')

/** Commands that connect agents to Panoptes. */
export function defineHooks(program: Command, context: Context): void {
  const hooks = program
    .command('hooks')
    .summary('connect agents: write hooks into their settings')
    .description('Writes hooks into the settings of an agent, so that Panoptes sees what it does.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes hooks install claude-code --dry-run\n  $ panoptes hooks install claude-code\n  $ panoptes hooks status\n  $ panoptes hooks uninstall claude-code',
    )

  hooks
    .command('install')
    .description('Writes the hooks, shows what changes, and keeps a copy of the file as it was.')
    .addArgument(agents('the agent to connect'))
    .addOption(scope())
    .option('--dry-run', 'only show what would change')
    .option(
      '--http',
      'send over http instead of running a command; what happens while Panoptes is away is lost',
    )
    .option('--events <names>', 'only these hook events, such as PreToolUse,Stop')
    .option('--shell', 'for hermes: commands instead of signed webhooks; Hermes asks before it runs them')
    .option('--secret-env', 'for hermes: name the variable with the secret instead of writing it down')
    .action(async (agent: string, options) =>
      (await import('../commands/hooks/install.ts')).installHooks(context, agent, options),
    )

  hooks
    .command('uninstall')
    .description('Takes the hooks out again: byte for byte, where nobody else changed the file since.')
    .addArgument(agents('the agent to disconnect'))
    .addOption(scope())
    .option('--dry-run', 'only show what would change')
    .action(async (agent: string, options) =>
      (await import('../commands/hooks/install.ts')).uninstallHooks(context, agent, options),
    )

  hooks
    .command('status')
    .description('Says which agents are connected, and how.')
    .action(async () => (await import('../commands/hooks/status.ts')).hooksStatus(context))
}
