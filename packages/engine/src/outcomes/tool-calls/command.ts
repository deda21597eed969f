import { type Simple, simpleCommands } from './shell.ts'

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'fish'])
/** Wrappers that only change how a command is run, and how many arguments of their own follow. */
const WRAPPERS: ReadonlyMap<string, number> = new Map([
  ...[
    'sudo',
    'time',
    'env',
    'nohup',
    'nice',
    'ionice',
    'exec',
    'command',
    'npx',
    'bunx',
    'pnpx',
    'if',
    'then',
    'do',
    'else',
    'while',
    '!',
    '{',
  ].map((name) => [name, 0] as const),
  ...['timeout', 'gtimeout'].map((name) => [name, 1] as const),
])
const TAKES_WORD = /^-(?:n|p|k|s|u|c|C|-signal|-kill-after|-user|-package|-with|-extra|-group|-python)$/
const VARIABLE = /^[A-Za-z_]\w{0,64}=/
const RUNNERS = [
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['npm', 'exec'],
  ['yarn', 'exec'],
  ['yarn', 'dlx'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['pipenv', 'run'],
  ['pdm', 'run'],
  ['hatch', 'run'],
  ['rye', 'run'],
  ['bundle', 'exec'],
  ['bun', 'x'],
  ['mise', 'exec'],
  ['direnv', 'exec'],
] as const

/** Returns the command in a tool's input: a line, or a list of arguments. */
export function commandText(input: unknown): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return undefined
  const { command, cmd, script } = input as Readonly<Record<string, unknown>>
  const rawCommand = command ?? cmd ?? script
  if (typeof rawCommand === 'string') return rawCommand
  if (!Array.isArray(rawCommand) || rawCommand.length > 256) return undefined
  const words = rawCommand.filter((word) => typeof word === 'string')
  const [shell = '', how = '', line] = words
  if (line !== undefined && SHELLS.has(baseName(shell)) && /^-\w{0,6}c$/.test(how)) return line
  return words.map((word) => (/[\s'"\\;&|<>()#]/.test(word) ? quoteWord(word) : word)).join(' ')
}

const quoteWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/**
 * Returns the simple commands of a line without their wrappers. A line passed to a shell counts as
 * its own.
 */
export function commandsIn(line: string, depth = 0): readonly Simple[] {
  return simpleCommands(line).flatMap((words) => {
    const own = unwrapShell(words)
    const [shell = '', how = '', inner] = own
    if (depth < 2 && inner !== undefined && SHELLS.has(baseName(shell)) && /^-\w{0,6}c$/.test(how))
      return commandsIn(inner, depth + 1)
    return own.length === 0 ? [] : [own]
  })
}

function unwrapShell(words: readonly string[]): readonly string[] {
  let at = 0
  for (;;) {
    const word = words[at]
    if (word === undefined) return []
    const own = WRAPPERS.get(baseName(word))
    if (VARIABLE.test(word)) at += 1
    else if (own !== undefined) at = afterOptions(words, at + 1) + own
    else if (RUNNERS.some(([first, second]) => word === first && words[at + 1] === second))
      at = afterOptions(words, at + 2)
    else return words.slice(at)
  }
}

function afterOptions(words: readonly string[], from: number): number {
  let at = from
  while (words[at]?.startsWith('-')) at += TAKES_WORD.test(words[at] as string) ? 2 : 1
  return at
}

export const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1)
