import type { Command } from 'commander'
import { CommandLine } from './command-line.ts'
import type { Context } from './context.ts'
import { defineAccounts } from './define/accounts.ts'
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
import { defineTeam } from './define/team.ts'
import { defineTemplates } from './define/templates.ts'
import { defineTools } from './define/tools.ts'
import { VERSION } from './version.ts'

const AFTER = `
Examples:
  $ panoptes up                    start, and open the page
  $ panoptes hooks install claude-code
  $ panoptes agents                who works, who waits, who failed
  $ panoptes chat                  talk with any of them over one memory
  $ panoptes demo                  see it at work on a made-up day of agents
  $ panoptes doctor                find out what is wrong
  $ panoptes export day.ndjson --since 2026-09-15

Exit codes:
  0 done · 1 failed · 2 wrong use · 3 not running · 4 port or ledger in use · 5 mistake in config.yaml
  69 Node is too old · 130 stopped by Ctrl-C

Environment:
  PANOPTES_HOME   where Panoptes keeps its files (~/.panoptes)
  NO_COLOR        any value: no colour
  PANOPTES_DEBUG  1: show where in the code a failure came from`

/**
 * The command line: what there is, and which file does it. A command's own code is read when it is called.
 * Help and the version are shown, or kept for the JSON document where one is asked for.
 */
export function makeProgram(context: Context, keep: (text: string) => void): Command {
  const { paint, typed, json } = context.output
  const { bold } = paint
  const program: Command = new CommandLine('panoptes')
    .description('See everything your AI agents do.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command...]', 'show help for a command')
    .option('--json', 'answer with one JSON document, also when something fails')
    .option('--no-color', 'no colour')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => bold(title),
      // Of the program alone: a group's own options are not all taken by what is under it.
      visibleGlobalOptions: (command) =>
        command.parent ? program.options.filter(({ hidden }) => !hidden) : [],
    })
    // Errors are shown by main, in one way for all.
    .configureOutput({
      writeErr: () => undefined,
      writeOut: json ? (text) => keep(typed(text)) : (text) => void process.stdout.write(typed(text)),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', AFTER)
  defineDaemon(program, context)
  defineAgents(program, context)
  defineSessions(program, context)
  defineAchievements(program, context)
  defineTemplates(program, context)
  defineAccounts(program, context)
  defineSkills(program, context)
  defineMoa(program, context)
  defineChat(program, context)
  defineForget(program, context)
  defineForward(program, context)
  defineHooks(program, context)
  defineService(program, context)
  defineTools(program, context)
  defineConfig(program, context)
  defineLedger(program, context)
  defineTeam(program, context)
  return program
}
