import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { absoluteCommand } from '../terminal/invocation.ts'
import { collectValues } from './option-parsers.ts'

/** Defines the chat and MCP commands. */
export function defineChat(program: Command, context: Context): void {
  const chat = program
    .command('chat')
    .argument('[message...]', 'your message; - reads stdin; if omitted, a prompt opens')
    .summary('chat with any agent, with one shared memory')
    .description(
      'Sends a message and streams the answer to stdout. Tools, plan and thoughts go to stderr if that is a terminal.',
    )
    .option('-r, --runtime <runtime>', 'the runtime: jarvis, hermes, or the name of an ACP agent')
    .option('-m, --model <model>', 'the model of the runtime')
    .option('--resume <id>', 'continue this conversation (id or id prefix); last is the newest')
    .option('-f, --file <path>', 'attach a file; repeatable', collectValues)
    .option('-t, --template <name>', 'start with this template')
    .addHelpText(
      'after',
      `\nWith --json every event of the answer is one line of JSON.\n\nExamples:\n  $ panoptes chat\n  $ panoptes chat "What did I do about the lock last week?"\n  $ git diff | ${absoluteCommand(context.env)} chat "Is this safe?" -\n  $ panoptes chat --resume last --runtime hermes "Go on"\n  $ panoptes chat check http://127.0.0.1:9000/stream`,
    )
    .action(async (words, options) =>
      (await import('../commands/chat/chat.ts')).chat(context, words, options),
    )

  chat
    .command('check')
    .argument('<url>', 'URL of a stream; - reads stdin')
    .summary('check a stream against the event contract')
    .description(
      'Reads an event stream to its end and lists every violation of the contract. Exits with 1 if there are any.',
    )
    .option('--post <body>', 'send a POST request with this JSON body')
    .option(
      '-H, --header <header>',
      'send this header, such as "Authorization: Bearer …"; repeatable',
      collectValues,
    )
    .option('--last-event-id <id>', 'resume after this event')
    .action(async (url, options) => (await import('../commands/chat/check.ts')).check(context, url, options))

  program
    .command('mcp')
    .summary('serve Panoptes to other agents over MCP')
    .description(
      'Serves past sessions, live agents, costs and templates to other agents over the Model Context Protocol. Read-only, on stdin and stdout.',
    )
    .addHelpText(
      'after',
      `\nExamples:\n  $ claude mcp add panoptes -- ${absoluteCommand(context.env)} mcp\n  $ codex mcp add panoptes -- ${absoluteCommand(context.env)} mcp`,
    )
    .action(async () => (await import('../commands/mcp/mcp.ts')).mcp(context))
}
