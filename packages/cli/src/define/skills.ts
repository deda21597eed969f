import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Context } from '../context.ts'

/** Defines the commands for skills and their reviews. */
export function defineSkills(program: Command, context: Context): void {
  const skills = program
    .command('skills')
    .summary('see how well skills work and review them')
    .description(
      'Lists every skill that was used or has a folder, with its success rate and its verdict by the rules in config.yaml.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ panoptes skills\n  $ panoptes skills review\n  $ panoptes skills review --apply\n  $ panoptes skills review --undo',
    )

  skills
    .command('list', { isDefault: true })
    .summary('list skills with their success rates and verdicts')
    .option('--verdict <verdict>', 'only this verdict: validated, re-extract, archive or watching')
    .option('--csv', 'print CSV')
    .action(async (options) => (await import('../commands/skills/list.ts')).list(context, options))

  skills
    .command('review')
    .summary('review skill folders by their verdicts')
    .description(
      'Shows the changes a review would make: archive unused skills and mark skills that work. Nothing changes without --apply.',
    )
    .option('--apply', 'make the changes; --undo reverts them')
    .option('--undo', 'undo the last review')
    .option('--csv', 'print CSV')
    .action(async (options) => (await import('../commands/skills/review.ts')).review(context, options))

  program
    .command('record-skill')
    .summary('record one use of a skill')
    .description(
      'Records a use of a skill and whether it succeeded. For hooks and scripts: it prints one line of JSON and works even if Panoptes is not running.',
    )
    .argument('<name>', 'the skill')
    .addOption(
      new Option('--success <0|1>', 'whether it succeeded').choices(['0', '1']).makeOptionMandatory(),
    )
    .option('--agent-id <id>', 'the agent that used it')
    .option('--trajectory-id <id>', 'the task it was part of')
    .option('--duration-ms <n>', 'how long it took, in milliseconds', milliseconds)
    .option('--db <file>', 'a store file other than the one in the home')
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
