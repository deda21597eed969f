import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { moment, rows, whole } from './values.ts'

/** Commands over what agents, tools, skills and claims amounted to. */
export function defineAccounts(program: Command, context: Context): void {
  const ledger = program
    .command('ledger')
    .summary('what agents, skills and claims amounted to, and what they cost')
    .description(
      'Lists what every session of every agent amounted to: outcomes, tokens, money, skills and stated numbers.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes ledger agents --outcome partial\n  $ panoptes ledger skills\n  $ panoptes ledger claims --check fails\n  $ panoptes ledger costs --by model --since 2026-09-01\n  $ panoptes ledger followups --project atlas-api --csv',
    )

  paged(spanned(ledger.command('agents')))
    .summary('what each agent amounted to, the newest first')
    .option('--outcome <outcome>', 'only functional, partial, scaffolding, fail or none')
    .option('--type <type>', 'only agents of this type, such as explore, or main')
    .option('--model <name>', 'only this model')
    .option('--flagged', 'only those that say done and are not')
    .option('--all', 'also those that are still at work')
    .action(async (options) => (await import('../commands/ledger/agents.ts')).agents(context, options))

  ledger
    .command('skills')
    .summary('rates of skills and what the rules say of each')
    .option('--verdict <verdict>', 'only validated, re-extract, archive or watching')
    .option('--csv', 'answer as rows for a spreadsheet')
    .action(async (options) => (await import('../commands/skills/list.ts')).list(context, options))

  paged(spanned(ledger.command('claims')))
    .summary('numbers that were stated, and whether their evidence holds')
    .option('--tier <tier>', 'only REAL, FROM-JOURNAL or ESTIMATE-HTC')
    .option('--check <verdict>', 'only those that holds, fails or are open')
    .option('--model <name>', 'only this model')
    .action(async (options) => (await import('../commands/ledger/claims.ts')).claims(context, options))

  spanned(ledger.command('costs'))
    .summary('money and tokens, added up')
    .option('--by <what>', 'by day, source, project, model, agent, skill or session', 'day')
    .option('--split <what>', 'each row once for every model: model')
    .option('--model <name>', 'only this model')
    .action(async (options) => (await import('../commands/ledger/costs.ts')).costs(context, options))

  paged(spanned(ledger.command('followups')))
    .summary('what agents say is still to be done')
    .action(async (options) => (await import('../commands/ledger/follow-ups.ts')).followUps(context, options))

  spanned(ledger.command('outcomes'))
    .summary('how the agents of each type ended, by their own word')
    .action(async (options) => (await import('../commands/ledger/outcomes.ts')).outcomes(context, options))

  ledger
    .command('budgets')
    .summary('what may be spent, and what was')
    .option('--csv', 'answer as rows for a spreadsheet')
    .action(async (options) => (await import('../commands/ledger/budgets.ts')).budgets(context, options))
}

const spanned = (command: Command): Command =>
  command
    .option('--since <time>', 'from this time on, such as 2026-09-15', moment)
    .option('--until <time>', 'up to this time, not including it', moment)
    .option('--source <name>', 'only this agent, such as claude-code')
    .option('--project <name>', 'only this project')
    .option('--session <id>', 'only this session')
    .option('--csv', 'answer as rows for a spreadsheet')

const paged = (command: Command): Command =>
  command
    .option('--limit <n>', 'at most so many', rows, 50)
    .option('--offset <n>', 'leave out so many of the newest', whole, 0)
