import type { Command } from 'commander'
import type { Context } from '../context.ts'

/** Defines the commands that show agents in a terminal. */
export function defineAgents(program: Command, context: Context): void {
  program
    .command('agents')
    .summary('show the agents as a tree')
    .description(
      'Shows the agents of each session as a tree, with their state: working, waiting, stuck, done or failed.',
    )
    .option('--session <id>', 'only this session')
    .option('--state <states>', 'only these states, such as working,waiting,stuck')
    .option('--all', 'show every session, not only the newest ten')
    .action(async (options) => (await import('../commands/agents/agents.ts')).agents(context, options))

  program
    .command('watch')
    .summary('watch the tree of agents')
    .description(
      'Shows running agents and updates until Ctrl-C. Without a terminal it prints one line per change.',
    )
    .option('--session <id>', 'only this session')
    .action(async (options) => (await import('../commands/agents/watch.ts')).watch(context, options))
}
