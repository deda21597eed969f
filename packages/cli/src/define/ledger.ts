import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parseLocalMoment, parseRows, parseWhole } from './option-parsers.ts'

/** Defines the commands for outcomes, costs, skills and claims. */
export function defineLedger(program: Command, context: Context): void {
  const ledger = program
    .command('ledger')
    .summary('outcomes of agents, skills and claims, and their costs')
    .description('Lists outcomes, tokens, costs, skills and claims of every agent session.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes ledger agents --outcome partial\n  $ panoptes ledger skills\n  $ panoptes ledger claims --check fails\n  $ panoptes ledger costs --by model --since 2026-09-01\n  $ panoptes ledger followups --project atlas-api --csv',
    )

  addPageOptions(addRangeOptions(ledger.command('agents')))
    .summary('list agents with their outcomes, newest first')
    .option(
      '--outcome <outcome>',
      'only this outcome: functional, partial, scaffolding, fail, stopped, lost or none',
    )
    .option('--type <type>', 'only this agent type, such as explore, or main')
    .option('--model <name>', 'only this model')
    .option('--flagged', 'only agents that report success although their work shows a problem')
    .option('--all', 'include agents that are still working')
    .action(async (options) => (await import('../commands/ledger/agents.ts')).agents(context, options))

  ledger
    .command('skills')
    .summary('list skills with their success rates and verdicts')
    .option('--verdict <verdict>', 'only this verdict: validated, re-extract, archive or watching')
    .option('--csv', 'print CSV')
    .action(async (options) => (await import('../commands/skills/list.ts')).list(context, options))

  addPageOptions(addRangeOptions(ledger.command('claims')))
    .summary('list claims and whether their evidence holds')
    .option('--tier <tier>', 'only this tier: REAL, FROM-JOURNAL or ESTIMATE-HTC')
    .option('--check <verdict>', 'only this result: holds, fails or open')
    .option('--model <name>', 'only this model')
    .action(async (options) => (await import('../commands/ledger/claims.ts')).claims(context, options))

  addRangeOptions(ledger.command('costs'))
    .summary('sum costs and tokens')
    .option('--by <what>', 'group by day, source, project, model, agent, skill or session', 'day')
    .option('--split <what>', 'split each row by model')
    .option('--model <name>', 'only this model')
    .action(async (options) => (await import('../commands/ledger/costs.ts')).costs(context, options))

  addPageOptions(addRangeOptions(ledger.command('followups')))
    .summary('list follow-ups that agents left')
    .action(async (options) => (await import('../commands/ledger/follow-ups.ts')).followUps(context, options))

  addRangeOptions(ledger.command('outcomes'))
    .summary('count outcomes by agent type')
    .action(async (options) => (await import('../commands/ledger/outcomes.ts')).outcomes(context, options))

  ledger
    .command('budgets')
    .summary('show budgets and spending')
    .option('--csv', 'print CSV')
    .action(async (options) => (await import('../commands/ledger/budgets.ts')).budgets(context, options))
}

const addRangeOptions = (command: Command): Command =>
  command
    .option('--since <time>', 'from this time on, such as 2026-09-15 or 7d', parseLocalMoment)
    .option('--until <time>', 'before this time', parseLocalMoment)
    .option('--source <name>', 'only this agent, such as claude-code')
    .option('--project <name>', 'only this project')
    .option('--session <id>', 'only this session')
    .option('--csv', 'print CSV')

const addPageOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'maximum number of rows (default: 50; all with --csv or --json)', parseRows)
    .option('--offset <n>', 'skip this many of the newest rows', parseWhole, 0)
