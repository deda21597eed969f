import { nearest } from '@panoptes/engine/home'
import { Command, CommanderError, type HelpContext } from 'commander'
import type { Context } from './context.ts'
import { defineAchievements } from './define/achievements.ts'
import { defineAgents } from './define/agents.ts'
import { defineChat } from './define/chat.ts'
import { defineConfig } from './define/config.ts'
import { defineDaemon } from './define/daemon.ts'
import { defineForward } from './define/forward.ts'
import { defineHooks } from './define/hooks.ts'
import { defineLedger } from './define/ledger.ts'
import { defineMoa } from './define/moa.ts'
import { defineService } from './define/service.ts'
import { defineForget, defineSessions } from './define/sessions.ts'
import { defineSkills } from './define/skills.ts'
import { defineStore } from './define/store.ts'
import { defineTeam } from './define/team.ts'
import { defineTemplates } from './define/templates.ts'
import { defineTools } from './define/tools.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { escapeControl } from './terminal/paint.ts'
import { VERSION } from './version.ts'

const AFTER = `
Examples:
  $ panoptes up                          start Panoptes and open the page
  $ panoptes hooks install claude-code   see every step of Claude Code at once
  $ panoptes agents                      see which agents are working, waiting or failed
  $ panoptes chat                        chat with any agent, with one shared memory
  $ panoptes demo                        watch a simulated day of agents
  $ panoptes doctor                      find problems
  $ panoptes export day.ndjson           save every event to a file

Exit codes:
  0 success · 1 failure · 2 usage error · 3 not running · 4 port or store in use · 5 error in config.yaml
  69 Node.js is too old · 130 interrupted (Ctrl-C)

Environment:
  PANOPTES_HOME   where Panoptes stores its files (default: ~/.panoptes)
  NO_COLOR        any value turns colors off
  PANOPTES_DEBUG  1 prints a stack trace for every error`

const print = (text: string): void => void process.stdout.write(text)

/**
 * Builds the command line. The code of a command is loaded when it runs. Help and the version are printed, or
 * collected for the JSON document.
 */
export function makeProgram(context: Context, keep: (text: string) => void): Command {
  const { paint, typed, json } = context.output
  const { bold } = paint
  const program: Command = new CommandLine('panoptes')
    .description('See everything your AI agents do.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command...]', 'show help for a command')
    .option('--json', 'print one JSON document, even for errors')
    .option('--no-color', 'turn colors off')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => bold(title),
      // Lists only the options of the program as global, because subcommands do not accept all options of
      // their group.
      visibleGlobalOptions: (command) =>
        command.parent ? program.options.filter(({ hidden }) => !hidden) : [],
    })
    // The main function prints all errors in the same format.
    .configureOutput({
      writeErr: () => undefined,
      writeOut: (text) => (json ? keep : print)(escapeControl(typed(text))),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', AFTER)
  defineDaemon(program, context)
  defineAgents(program, context)
  defineSessions(program, context)
  defineAchievements(program, context)
  defineTemplates(program, context)
  defineLedger(program, context)
  defineSkills(program, context)
  defineMoa(program, context)
  defineChat(program, context)
  defineForget(program, context)
  defineForward(program, context)
  defineHooks(program, context)
  defineService(program, context)
  defineTools(program, context)
  defineConfig(program, context)
  defineStore(program, context)
  defineTeam(program, context)
  return program
}

/** A command that reports usage errors in our words and names its own help. */
class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name)
  }

  /** A group without a subcommand is not an error: it prints the same as `--help`. */
  override help(wanted?: HelpContext | ((text: string) => string)): never {
    const mistaken = typeof wanted === 'object' && wanted.error
    if (mistaken && this.args[0] === 'help') throw this.#unknown(this.args[1] ?? '')
    const [first, , ...deeper] = this.parent?.args ?? []
    let command: Command = this
    for (const word of first === 'help' ? deeper : []) {
      const next = command.commands.find((each) => each.name() === word)
      if (next === undefined) throw usage(describeUnknownWord(command, word), command)
      command = next
    }
    command.outputHelp()
    throw new CommanderError(EXIT.ok, 'commander.help', 'help was shown')
  }

  override error(message: string): never {
    throw usage(rewordError(message.replace(/^error: /, ''), this), this)
  }

  #unknown(word: string): CommandFailure {
    return usage(describeUnknownWord(this, word), this)
  }
}

/** Returns the full command, such as `panoptes sessions list`. */
const fullCommand = (command: Command): string =>
  command.parent ? `${fullCommand(command.parent)} ${command.name()}` : command.name()

const commandName = (command: Command): string => fullCommand(command).replace(/^\S+ /, '')

function usage(message: string, command: Command): CommandFailure {
  const what = command.commands.length > 0 ? 'List the commands' : 'See the usage'
  const next = `${what} with: ${fullCommand(command)} --help`
  return new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })
}

function describeUnknownWord(command: Command, word: string): string {
  const names = command.commands.map((each) => each.name())
  const near = nearest(word, names) ?? names.find((name) => word !== '' && name.startsWith(word))
  const hint = near ? `(Did you mean ${near}?)` : names.length > 0 ? `Available: ${names.join(', ')}` : ''
  return `unknown command '${word}'${hint === '' ? '' : `\n${hint}`}`
}

type MessageRule = readonly [RegExp, (command: Command, ...parts: readonly string[]) => string]

/** Rewrites the error messages of commander about arguments and choices. */
const SENTENCES: readonly MessageRule[] = [
  [
    /^command-argument value '([\s\S]*)' is invalid for argument '([^']*)'\. ([\s\S]*)$/,
    (_, value = '', name = '', why = '') => `'${value}' is not a valid ${name}. ${toRequirement(why)}`,
  ],
  [
    /^option '([^']*)' argument '([\s\S]*)' is invalid\. ([\s\S]*)$/,
    (_, flags = '', value = '', why = '') =>
      `'${value}' is not a valid value for ${longFlag(flags)}. ${toRequirement(why)}`,
  ],
  [
    /^option '([^']*)' argument missing$/,
    (command, flags = '') => `${longFlag(flags)} needs a value${describeOption(command, flags)}`,
  ],
  [
    /^required option '([^']*)' not specified$/,
    (command, flags = '') =>
      `${commandName(command)} needs ${longFlag(flags)}${describeOption(command, flags)}`,
  ],
  [
    /^missing required argument '([^']*)'$/,
    (command, name = '') => `${commandName(command)} needs <${name}>${describeArgument(command, name)}`,
  ],
  [
    /^too many arguments(?: for '[^']*')?\. Expected (\d+) arguments? but got \d+: ([\s\S]*)\.$/,
    (command, most = '', words = '') =>
      `${commandName(command)} takes ${most === '0' ? 'no arguments' : most === '1' ? 'one argument' : `at most ${most} arguments`}. Unexpected: ${words}`,
  ],
]

function rewordError(message: string, command: Command): string {
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(message)
    if (found) return say(command, ...found.slice(1))
  }
  return message
}

const toRequirement = (why: string): string =>
  why.replace(/^Allowed choices are (.*)\.$/, 'It must be one of: $1.')

/** Returns `--store` for `--ledger, --store <address>`, because aliases come first. */
const longFlag = (flags: string): string => flags.match(/--[\w-]+/g)?.at(-1) ?? flags

function describeOption(command: Command, flags: string): string {
  const found = command.options.find((option) => option.flags === flags)
  return found?.description ? `: ${found.description}` : ''
}

function describeArgument(command: Command, name: string): string {
  const found = command.registeredArguments.find((argument) => argument.name() === name)
  const allowed = found?.argChoices ? ` (${found.argChoices.join(', ')})` : ''
  return found?.description ? `: ${found.description}${allowed}` : ''
}
