import { nearest } from '@panoptes/engine/home'
import type { Command } from 'commander'
import type { Context } from '../context.ts'

const commands = () => import('../commands/config.ts')

const unknownCommand = (name: string): string => {
  const close = nearest(name, ['path', 'get', 'set', 'check'])
  return `unknown command 'config ${name}'${close ? `\n(Did you mean config ${close}?)` : ''}`
}

export function defineConfig(program: Command, context: Context): void {
  const config = program
    .command('config')
    .summary('show or change the settings')
    .description('Shows every setting with its value and its origin.')
    .addHelpText(
      'after',
      "\nExamples:\n  $ panoptes config\n  $ panoptes config get server.port\n  $ panoptes config set server.port 8300\n  $ panoptes config set budgets.limits '[{ per: day, usd: 25 }]'\n  $ panoptes config check",
    )
    .action(async (_options, command: Command) => {
      const [unknown] = command.args
      if (unknown !== undefined) command.error(unknownCommand(unknown))
      await (await commands()).showConfig(context)
    })

  config
    .command('path')
    .description('Prints the path of config.yaml.')
    .action(async () => (await commands()).configPath(context))

  config
    .command('get')
    .description('Prints one setting, or every setting of a group.')
    .argument('<key>', 'the setting, such as server.port, or a group, such as budgets')
    .action(async (key: string) => (await commands()).getConfig(context, key))

  config
    .command('set')
    .description('Changes one setting and keeps the comments in the file.')
    .argument('<key>', 'the setting, such as server.port')
    .argument('<value>', 'the value: null for none, a,b for a list, [{ … }] for a list of objects')
    .action(async (key: string, value: string) => (await commands()).setConfig(context, key, value))

  config
    .command('check')
    .description('Lists errors in config.yaml with line and column. Exits with 5 if there are any.')
    .action(async () => (await commands()).checkConfig(context))

  // This comes last, because subcommands inherit it: only here an unknown word is a mistyped command.
  config.allowExcessArguments()
}
