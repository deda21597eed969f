import { Argument, type Command, Option } from 'commander'
import type { Context } from '../context.ts'

const agents = (what: string) => new Argument('<agent>', what).choices(['claude-code', 'hermes'])
const scope = () =>
  new Option('--scope <scope>', 'user: in every folder; project: only here (.claude/settings.local.json)')
    .choices(['user', 'project'])
    .default('user')

/** Defines the commands that connect agents to Panoptes. */
export function defineHooks(program: Command, context: Context): void {
  const hooks = program
    .command('hooks')
    .summary('connect agents by installing hooks')
    .description("Installs hooks in an agent's settings so that Panoptes sees its activity.")
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes hooks install claude-code --dry-run\n  $ panoptes hooks install claude-code\n  $ panoptes hooks status\n  $ panoptes hooks uninstall claude-code',
    )

  hooks
    .command('install')
    .description('Writes the hooks, shows the diff, and backs up the file.')
    .addArgument(agents('the agent to connect'))
    .addOption(scope())
    .option('--dry-run', 'only show what would change')
    .option(
      '--http',
      'send over HTTP instead of running a command; events are lost while Panoptes is not running',
    )
    .option('--events <names>', 'only these hook events, such as PreToolUse,Stop')
    .option('--shell', 'hermes: use commands instead of signed webhooks; Hermes asks before it runs them')
    .option('--secret-env', 'hermes: refer to a variable with the secret instead of writing the secret')
    .action(async (agent: string, options) =>
      (await import('../commands/hooks/install.ts')).installHooks(context, agent, options),
    )

  hooks
    .command('uninstall')
    .description('Removes the hooks. If nothing else changed the file, it is restored byte for byte.')
    .addArgument(agents('the agent to disconnect'))
    .addOption(scope())
    .option('--dry-run', 'only show what would change')
    .action(async (agent: string, options) =>
      (await import('../commands/hooks/install.ts')).uninstallHooks(context, agent, options),
    )

  hooks
    .command('status')
    .description('Shows which agents are connected, and how.')
    .action(async () => (await import('../commands/hooks/status.ts')).hooksStatus(context))
}
