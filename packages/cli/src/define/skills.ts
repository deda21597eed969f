import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Context } from '../context.ts'

/** Commands over skills: how well they work, and what is to become of them. */
export function defineSkills(program: Command, context: Context): void {
  const skills = program
    .command('skills')
    .summary('how well skills work, and what is to become of them')
    .description(
      'Lists every skill that was used or has a folder, with its rate and what the rules in config.yaml say of it.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes skills\n  $ panoptes skills review\n  $ panoptes skills review --apply\n  $ panoptes skills review --undo',
    )

  skills
    .command('list', { isDefault: true })
    .summary('rates of skills and what the rules say of each')
    .option('--verdict <verdict>', 'only validated, re-extract, archive or watching')
    .option('--csv', 'answer as rows for a spreadsheet')
    .action(async (options) => (await import('../commands/skills/list.ts')).list(context, options))

  skills
    .command('review')
    .summary('what the verdicts ask for on the folders of skills')
    .description(
      'Shows what a nightly run would do: archive what is not used, mark what works. Nothing is touched without --apply.',
    )
    .option('--apply', 'do it; what is done can be taken back')
    .option('--undo', 'take back what the last review did')
    .option('--csv', 'answer as rows for a spreadsheet')
    .action(async (options) => (await import('../commands/skills/review.ts')).review(context, options))

  program
    .command('record-skill')
    .summary('tell of one use of a skill')
    .description(
      'Records that a skill was used, and whether that succeeded. For hooks and scripts: it answers with one line of JSON, with and without a running Panoptes.',
    )
    .argument('<name>', 'the skill')
    .addOption(
      new Option('--success <0|1>', 'whether it succeeded').choices(['0', '1']).makeOptionMandatory(),
    )
    .option('--agent-id <id>', 'the agent that used it')
    .option('--trajectory-id <id>', 'what it was a part of')
    .option('--duration-ms <n>', 'how long it took', milliseconds)
    .option('--db <file>', 'another ledger than that of the home')
    .addHelpText(
      'after',
      '\nExample:\n  $ panoptes record-skill write-migration --success 1 --duration-ms 1400',
    )
    .action(async (name, options) =>
      (await import('../commands/skills/record.ts')).record(context, name, options),
    )
}

function milliseconds(text: string): number {
  if (/^-/.test(text)) throw new InvalidArgumentError('It must not be negative.')
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of milliseconds.')
  return Number(text)
}
