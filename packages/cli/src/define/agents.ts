import type { Command } from 'commander'
import type { Context } from '../context.ts'

/** Commands that show agents in a terminal. */
export function defineAgents(program: Command, context: Context): void {
  program
    .command('agents')
    .summary('show the agents as a tree')
    .description('Shows the agents of each session as a tree: who works, waits, is stuck, is done or failed.')
    .option('--session <id>', 'only this session')
    .option('--state <states>', 'only these states, such as working,waiting,stuck')
    .option('--all', 'every session, not only the newest ten')
    .action(async (options) => (await import('../commands/agents/agents.ts')).agents(context, options))

  program
    .command('watch')
    .summary('keep the tree of agents in view')
    .description(
      'Shows the living agents and follows them until Ctrl-C. Without a terminal it prints a line for each change.',
    )
    .option('--session <id>', 'only this session')
    .action(async (options) => (await import('../commands/agents/watch.ts')).watch(context, options))
}
