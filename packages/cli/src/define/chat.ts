import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { fromAnywhere } from '../terminal/invocation.ts'
import { several } from './values.ts'

/** Talking with any runtime, and what other agents may ask. */
export function defineChat(program: Command, context: Context): void {
  const chat = program
    .command('chat')
    .argument('[message...]', 'what to say; - reads it from the standard input, nothing opens a prompt')
    .summary('talk with any agent over one memory')
    .description(
      'Says something in a conversation, and shows the answer as it comes. The answer alone is on stdout; tools, plan and thoughts are on stderr where that is a terminal.',
    )
    .option('-r, --runtime <runtime>', 'who answers: jarvis, hermes, or an agent of acp by its name')
    .option('-m, --model <model>', 'which model of the runtime')
    .option(
      '--resume <id>',
      'go on with this conversation, by its id or the beginning of it; last is the newest',
    )
    .option('-f, --file <path>', 'a file that goes with the message; may be given several times', several)
    .option('-t, --template <name>', 'give it this template')
    .addHelpText(
      'after',
      `\nWith --json every event of the answer is a line of JSON.\n\nExamples:\n  $ panoptes chat\n  $ panoptes chat "What did I do about the lock last week?"\n  $ git diff | ${fromAnywhere(context.env)} chat "Is this safe?" -\n  $ panoptes chat --resume last --runtime hermes "Go on"\n  $ panoptes chat check http://127.0.0.1:9000/stream`,
    )
    .action(async (words, options) =>
      (await import('../commands/chat/chat.ts')).chat(context, words, options),
    )

  chat
    .command('check')
    .argument('<url>', 'the address of a stream; - reads it from the standard input')
    .summary('check any stream against the contract of events')
    .description(
      'Reads a stream of events to its end and says what of it is against the contract, event by event. Exit code 1 if anything is.',
    )
    .option('--post <body>', 'ask for it with POST and this body of JSON')
    .option(
      '-H, --header <header>',
      'send this header, such as "Authorization: Bearer …"; may be given several times',
      several,
    )
    .option('--last-event-id <id>', 'ask for what follows this event')
    .action(async (url, options) => (await import('../commands/chat/check.ts')).check(context, url, options))

  program
    .command('mcp')
    .summary('let other agents ask what Panoptes knows')
    .description(
      'A server of the Model Context Protocol on stdin and stdout: past sessions, live agents, what was spent, templates. It only reads.',
    )
    .addHelpText(
      'after',
      `\nExamples:\n  $ claude mcp add panoptes -- ${fromAnywhere(context.env)} mcp\n  $ codex mcp add panoptes -- ${fromAnywhere(context.env)} mcp`,
    )
    .action(async () => (await import('../commands/mcp/mcp.ts')).mcp(context))
}
