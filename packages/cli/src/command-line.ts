import { nearest } from '@panoptes/engine/home'
import { Command, CommanderError, type HelpContext } from 'commander'
import { EXIT } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'

/** A command that says wrong use in our words, and where to read about itself. */
export class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name)
  }

  /** Called for a group without a word as well: that is no mistake, and is answered as `--help` is. */
  override help(wanted?: HelpContext | ((text: string) => string)): never {
    const mistaken = typeof wanted === 'object' && wanted.error
    if (mistaken && this.args[0] === 'help') throw this.#unknown(this.args[1] ?? '')
    const [first, , ...deeper] = this.parent?.args ?? []
    let command: Command = this
    for (const word of first === 'help' ? deeper : []) {
      const next = command.commands.find((each) => each.name() === word)
      if (next === undefined) throw usage(unknownWord(command, word), command)
      command = next
    }
    command.outputHelp()
    throw new CommanderError(EXIT.ok, 'commander.help', 'help was shown')
  }

  override error(message: string): never {
    throw usage(inOurWords(message.replace(/^error: /, ''), this), this)
  }

  #unknown(word: string): CommandFailure {
    return usage(unknownWord(this, word), this)
  }
}

/** What is typed for a command: `panoptes sessions list`. */
const typedFor = (command: Command): string =>
  command.parent ? `${typedFor(command.parent)} ${command.name()}` : command.name()

const nameOf = (command: Command): string => typedFor(command).replace(/^\S+ /, '')

function usage(message: string, command: Command): CommandFailure {
  const what = command.commands.length > 0 ? 'See what there is' : 'See how it is used'
  const next = `${what} with: ${typedFor(command)} --help`
  return new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })
}

function unknownWord(command: Command, word: string): string {
  const names = command.commands.map((each) => each.name())
  const near = nearest(word, names) ?? names.find((name) => word !== '' && name.startsWith(word))
  const hint = near ? `(Did you mean ${near}?)` : names.length > 0 ? `There are: ${names.join(', ')}` : ''
  return `unknown command '${word}'${hint === '' ? '' : `\n${hint}`}`
}

type Said = readonly [RegExp, (command: Command, ...parts: readonly string[]) => string]

/** Commander's sentences that speak of arguments and choices, and ours. */
const SENTENCES: readonly Said[] = [
  [
    /^command-argument value '([\s\S]*)' is invalid for argument '([^']*)'\. ([\s\S]*)$/,
    (_, value = '', name = '', why = '') => `'${value}' is no ${name}. ${must(why)}`,
  ],
  [
    /^option '([^']*)' argument '([\s\S]*)' is invalid\. ([\s\S]*)$/,
    (_, flags = '', value = '', why = '') => `'${value}' is no value for ${longOf(flags)}. ${must(why)}`,
  ],
  [
    /^option '([^']*)' argument missing$/,
    (command, flags = '') => `${longOf(flags)} needs a value${about(command, flags)}`,
  ],
  [
    /^required option '([^']*)' not specified$/,
    (command, flags = '') => `${nameOf(command)} needs ${longOf(flags)}${about(command, flags)}`,
  ],
  [
    /^missing required argument '([^']*)'$/,
    (command, name = '') => `${nameOf(command)} needs <${name}>${aboutArgument(command, name)}`,
  ],
  [
    /^too many arguments(?: for '[^']*')?\. Expected (\d+) arguments? but got \d+: ([\s\S]*)\.$/,
    (command, most = '', words = '') =>
      `${nameOf(command)} takes ${most === '0' ? 'no word' : most === '1' ? 'one word' : `${most} words`} beside its options, not: ${words}`,
  ],
]

function inOurWords(message: string, command: Command): string {
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(message)
    if (found) return say(command, ...found.slice(1))
  }
  return message
}

const must = (why: string): string => why.replace(/^Allowed choices are (.*)\.$/, 'It must be one of: $1.')

const longOf = (flags: string): string => /--[\w-]+/.exec(flags)?.[0] ?? flags

function about(command: Command, flags: string): string {
  const found = command.options.find((option) => option.flags === flags)
  return found?.description ? `: ${found.description}` : ''
}

function aboutArgument(command: Command, name: string): string {
  const found = command.registeredArguments.find((argument) => argument.name() === name)
  const allowed = found?.argChoices ? ` (${found.argChoices.join(', ')})` : ''
  return found?.description ? `: ${found.description}${allowed}` : ''
}
