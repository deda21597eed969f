import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { moment, rows, whole } from './values.ts'

/** Commands over turns of several models. */
export function defineMoa(program: Command, context: Context): void {
  const moa = program
    .command('moa')
    .summary('let several models advise and one act, and look at every turn')
    .description('Asks presets of several models, and shows what each of them was sent, said, took and cost.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes moa presets\n  $ panoptes moa run --preset review "Is this migration safe?"\n  $ panoptes moa turns\n  $ panoptes moa replay 019a8f00 --without 2\n  $ panoptes moa diff 019a8f00',
    )

  moa
    .command('run')
    .argument('<question...>', 'what to ask; - reads it from the standard input')
    .summary('ask a preset')
    .description(
      'Asks a preset: who is through is said on stderr, the answer comes on stdout as it is given.',
    )
    .option('--preset <name>', 'which one; without it the default one')
    .option('--system <text>', 'what the acting model is told first')
    .option('--session <id>', 'the session it is of; without it one of its own')
    .action(async (words, options) => (await import('../commands/moa/run.ts')).run(context, words, options))

  moa
    .command('presets')
    .summary('the presets, and the providers of models')
    .action(async () => (await import('../commands/moa/presets.ts')).presets(context))

  moa
    .command('turns')
    .summary('list turns, the newest first')
    .option('--preset <name>', 'only of this preset')
    .option('--session <id>', 'only of this session')
    .option('--since <time>', 'from this time on, such as 2026-09-15', moment)
    .option('--until <time>', 'up to this time, not including it', moment)
    .option('--limit <n>', 'at most so many', rows, 50)
    .option('--offset <n>', 'leave out so many of the newest', whole, 0)
    .action(async (options) => (await import('../commands/moa/turns.ts')).turns(context, options))

  moa
    .command('traces')
    .argument('[session]', 'the session, or the beginning of its id; without it all of them')
    .summary('what was written down whole')
    .option('--turn <id>', 'only the lines of this turn, or of the one whose id begins so; of any session')
    .option('--limit <n>', 'at most so many lines, the newest', rows, 200)
    .action(async (session, options) =>
      (await import('../commands/moa/traces.ts')).traces(context, session, options),
    )

  moa
    .command('replay')
    .argument('<turn>', 'the turn, or the beginning of its id')
    .summary('run a turn again, with one thing changed')
    .description(
      'Runs a turn that was written down again without its client: references get what they were sent, the acting model the same conversation with what they say now.',
    )
    .option('--aggregator <model>', 'another acting model, as provider/model')
    .option('--without <reference>', 'leave a reference out: its label, or its number from 1 on')
    .action(async (turn, options) => (await import('../commands/moa/run.ts')).replay(context, turn, options))

  moa
    .command('diff')
    .argument('<turn>', 'the turn, or the beginning of its id')
    .summary('what changed from a turn to its replay')
    .option('--with <turn>', 'compare it with this turn; without it with its newest replay')
    .action(async (turn, options) => (await import('../commands/moa/diff.ts')).diff(context, turn, options))
}
