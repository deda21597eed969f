import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { parseMoment, parseRows, parseWhole } from './option-parsers.ts'

/** Defines the MoA commands. */
export function defineMoa(program: Command, context: Context): void {
  const moa = program
    .command('moa')
    .summary('run Mixture of Agents presets and inspect their turns')
    .description(
      'In a preset, several models advise and one acts. See the input, answer, time and cost of each model.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes moa presets\n  $ panoptes moa run --preset review "Is this migration safe?"\n  $ panoptes moa turns\n  $ panoptes moa replay 019a8f00 --without 2\n  $ panoptes moa diff 019a8f00',
    )

  moa
    .command('run')
    .argument('<question...>', 'the question; - reads stdin')
    .summary('run a preset')
    .description('Runs a preset. The answer streams to stdout; progress is written to stderr.')
    .option('--preset <name>', 'the preset (default: moa.default_preset)')
    .option('--system <text>', 'system prompt of the acting model')
    .option('--session <id>', 'session of the turn (default: a new session)')
    .action(async (words, options) => (await import('../commands/moa/run.ts')).run(context, words, options))

  moa
    .command('presets')
    .summary('list presets and model providers')
    .action(async () => (await import('../commands/moa/presets.ts')).presets(context))

  moa
    .command('turns')
    .summary('list turns, newest first')
    .option('--preset <name>', 'only this preset')
    .option('--session <id>', 'only this session')
    .option('--since <time>', 'from this time on, such as 2026-09-15', parseMoment)
    .option('--until <time>', 'before this time', parseMoment)
    .option('--limit <n>', 'maximum number of rows', parseRows, 50)
    .option('--offset <n>', 'skip this many of the newest rows', parseWhole, 0)
    .action(async (options) => (await import('../commands/moa/turns.ts')).turns(context, options))

  moa
    .command('traces')
    .argument('[session]', 'session id or id prefix (default: all sessions)')
    .summary('show saved traces')
    .option('--turn <id>', 'only this turn (id or id prefix), in any session')
    .option('--limit <n>', 'maximum number of lines, newest first', parseRows, 200)
    .action(async (session, options) =>
      (await import('../commands/moa/traces.ts')).traces(context, session, options),
    )

  moa
    .command('replay')
    .argument('<turn>', 'turn id or id prefix')
    .summary('replay a turn with one change')
    .description(
      'Replays a saved turn without its client. References get their original input; the acting model gets the same conversation with their new answers.',
    )
    .option('--aggregator <model>', 'use another acting model: provider/model')
    .option('--without <reference>', 'leave out this reference: its label, or its number (from 1)')
    .action(async (turn, options) => (await import('../commands/moa/run.ts')).replay(context, turn, options))

  moa
    .command('diff')
    .argument('<turn>', 'turn id or id prefix')
    .summary('compare a turn with its replay')
    .option('--with <turn>', 'compare with this turn (default: its newest replay)')
    .action(async (turn, options) => (await import('../commands/moa/diff.ts')).diff(context, turn, options))
}
